//! One error type for everything that crosses the border, in both directions.

use cxx::UniquePtr;
use std::fmt;
use std::panic::Location;
use torchop_sys::ffi;

/// What a kernel, method or call into torch returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Which exception an [`Error`] is in Python (and in C++, under torch's own names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `RuntimeError`
    Runtime,
    /// `ValueError`
    Value,
    /// `TypeError`
    Type,
    /// `IndexError`
    Index,
    /// `NotImplementedError`
    NotImplemented,
    /// `torch.OutOfMemoryError`
    OutOfMemory,
}

impl ErrorKind {
    // The order is that of `torchop::Kind` in the bridge.
    const ALL: [ErrorKind; 6] =
        [Self::Runtime, Self::Value, Self::Type, Self::Index, Self::NotImplemented, Self::OutOfMemory];

    /// The class of the exception in Python.
    pub const fn python_name(self) -> &'static str {
        match self {
            Self::Runtime => "RuntimeError",
            Self::Value => "ValueError",
            Self::Type => "TypeError",
            Self::Index => "IndexError",
            Self::NotImplemented => "NotImplementedError",
            Self::OutOfMemory => "OutOfMemoryError",
        }
    }
}

/// An error of a kernel or of torch.
///
/// Arrives in Python as the exception class of its [`kind`](Error::kind) with [`message`](Error::message) as text. An error
/// that came from torch and is passed on is the *same* exception object again, which torch's tracing depends on.
///
/// Any `std::error::Error` converts with `?`, as [`ErrorKind::Runtime`].
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    location: &'static Location<'static>,
    /// The position of the argument that the error is about, until the kernel's caller has put its name into the text.
    argument: Option<u16>,
    /// The tensor that the error is about, by its address, until it is found among the arguments.
    tensor: Option<u64>,
    /// The name of the operator is to stand before the text, until the kernel's caller has put it there.
    of_op: bool,
    /// The C++ exception, if there was one.
    origin: Option<Origin>,
}

struct Origin(UniquePtr<ffi::Failure>);

// SAFETY: a Failure is immutable after it is made; std::exception_ptr counts its references atomically.
unsafe impl Send for Origin {}
// SAFETY: as above; all access goes through const methods.
unsafe impl Sync for Origin {}

impl Error {
    /// An error of the given kind.
    #[track_caller]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            location: Location::caller(),
            argument: None,
            tensor: None,
            of_op: false,
            origin: None,
        }))
    }

    /// A `RuntimeError`.
    #[track_caller]
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Runtime, message)
    }

    /// A `ValueError`: the type is right, the value is not.
    #[track_caller]
    pub fn value(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Value, message)
    }

    /// A `TypeError`.
    #[track_caller]
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Type, message)
    }

    /// An `IndexError`.
    #[track_caller]
    pub fn index(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Index, message)
    }

    /// A `NotImplementedError`.
    #[track_caller]
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotImplemented, message)
    }

    /// Which exception it is in Python.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The text, without torch's C++ backtrace.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place in Rust that made the error, or that called torch.
    pub fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    /// The place that the caller of a call into torch knows better.
    pub(crate) fn at(mut self, place: &'static Location<'static>) -> Self {
        self.0.location = place;
        self
    }

    pub(crate) fn at_argument(mut self, position: usize) -> Self {
        self.0.argument = u16::try_from(position).ok();
        self
    }

    /// About this tensor: the message gets the name of the argument that it is.
    pub(crate) fn about(mut self, tensor: u64) -> Self {
        self.0.tensor = Some(tensor);
        self
    }

    pub(crate) fn tensor(&self) -> Option<u64> {
        self.0.tensor
    }

    /// The text starts with the operator's name when the operator fails with it.
    #[cfg(feature = "cuda")]
    pub(crate) fn of_op(mut self) -> Self {
        self.0.of_op = true;
        self
    }

    pub(crate) fn is_of_op(&self) -> bool {
        self.0.of_op
    }

    pub(crate) fn argument(&self) -> Option<u16> {
        self.0.argument
    }

    /// Puts text before the message. The error is a new one to torch then.
    pub(crate) fn with_prefix(mut self, prefix: &str) -> Self {
        self.0.message.insert_str(0, prefix);
        self.0.tensor = None;
        self.0.origin = None;
        self
    }

    /// The exception that the last bridge call of this thread ended with.
    #[cold]
    #[track_caller]
    pub(crate) fn from_torch(lost: &dyn fmt::Display) -> Self {
        let failure = ffi::failure_take();
        let Some(caught) = failure.as_ref() else {
            return Self::runtime(format!("torch failed and the exception was lost ({lost})"));
        };
        let kind = ErrorKind::ALL.get(usize::from(ffi::failure_kind(caught))).copied().unwrap_or(ErrorKind::Runtime);
        let message = ffi::failure_message(caught).to_string_lossy().into_owned();
        Error(Box::new(Inner {
            kind,
            message,
            location: Location::caller(),
            argument: None,
            tensor: None,
            of_op: false,
            origin: Some(Origin(failure)),
        }))
    }

    /// The exception for C++ to throw; ownership goes with the pointer.
    #[cold]
    pub(crate) fn into_failure(self) -> *mut ffi::Failure {
        if let Some(origin) = self.0.origin {
            return origin.0.into_raw();
        }
        // Python ends an exception's text at a NUL.
        let message = if self.0.message.contains('\0') { self.0.message.replace('\0', "\\0") } else { self.0.message };
        match ffi::failure_new(self.0.kind as u8, &message) {
            Ok(failure) => failure.into_raw(),
            // Making the exception failed (no memory): that exception is the one to throw.
            Err(_) => ffi::failure_take().into_raw(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.0.kind.python_name(), self.0.message, self.0.location)
    }
}

/// With the texts of its sources, one after the other. `torchop::Error` itself is no `std::error::Error`, so that this can be.
impl<E: std::error::Error> From<E> for Error {
    #[track_caller]
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::runtime(message)
    }
}

/// For results of the bridge.
pub(crate) trait OrTorch<T> {
    fn or_torch(self) -> Result<T>;
}

impl<T> OrTorch<T> for std::result::Result<T, cxx::Exception> {
    #[inline]
    #[track_caller]
    fn or_torch(self) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(lost) => Err(Error::from_torch(&lost)),
        }
    }
}
