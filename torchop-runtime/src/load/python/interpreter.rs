//! CPython's C functions, found at run time: the library links to no libpython.

use super::python_failed;
use crate::error::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;

pub(super) type Object = *mut c_void;

/// `Py_AuditHookFunction`.
pub(super) type AuditHook = unsafe extern "C" fn(*const c_char, Object, *mut c_void) -> c_int;

/// Whether this thread may touch Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    HoldsLock,
    WithoutLock,
}

macro_rules! functions {
    ($($name:ident: $symbol:literal $type:ty;)*) => {
        /// All from the stable ABI, but for the audit hook.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Interpreter { $($name: $type,)* }

        impl Interpreter {
            fn load() -> Option<Self> {
                Some(Interpreter {$(
                    $name: {
                        let address = symbol($symbol)?;
                        // SAFETY: CPython exports the function under this name with this type, in every version we support.
                        unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
                    },
                )*})
            }
        }
    };
}

functions! {
    is_initialized: c"Py_IsInitialized" unsafe extern "C" fn() -> c_int;
    holds_lock: c"PyGILState_Check" unsafe extern "C" fn() -> c_int;
    add_pending_call: c"Py_AddPendingCall" unsafe extern "C" fn(Option<unsafe extern "C" fn(*mut c_void) -> c_int>, *mut c_void) -> c_int;
    compile: c"Py_CompileString" unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> Object;
    evaluate: c"PyEval_EvalCode" unsafe extern "C" fn(Object, Object, Object) -> Object;
    builtins: c"PyEval_GetBuiltins" unsafe extern "C" fn() -> Object;
    new_dict: c"PyDict_New" unsafe extern "C" fn() -> Object;
    set_item: c"PyDict_SetItemString" unsafe extern "C" fn(Object, *const c_char, Object) -> c_int;
    add_reference: c"Py_IncRef" unsafe extern "C" fn(Object);
    drop_reference: c"Py_DecRef" unsafe extern "C" fn(Object);
    error_occurred: c"PyErr_Occurred" unsafe extern "C" fn() -> Object;
    set_error: c"PyErr_SetString" unsafe extern "C" fn(Object, *const c_char);
    current_frame: c"PyEval_GetFrame" unsafe extern "C" fn() -> Object;
    sys_object: c"PySys_GetObject" unsafe extern "C" fn(*const c_char) -> Object;
    new_function: c"PyCFunction_NewEx" unsafe extern "C" fn(*const MethodDef, Object, Object) -> Object;
    call_with: c"PyObject_CallFunctionObjArgs" unsafe extern "C" fn(Object, ...) -> Object;
    clear_error: c"PyErr_Clear" unsafe extern "C" fn();
    fetch_error: c"PyErr_Fetch" unsafe extern "C" fn(*mut Object, *mut Object, *mut Object);
    restore_error: c"PyErr_Restore" unsafe extern "C" fn(Object, Object, Object);
    tuple_item: c"PyTuple_GetItem" unsafe extern "C" fn(Object, isize) -> Object;
    new_text: c"PyUnicode_FromStringAndSize" unsafe extern "C" fn(*const c_char, isize) -> Object;
    text: c"PyUnicode_AsUTF8AndSize" unsafe extern "C" fn(Object, *mut isize) -> *const c_char;
    add_audit_hook: c"PySys_AddAuditHook" unsafe extern "C" fn(AuditHook, *mut c_void) -> c_int;
    write_unraisable: c"PyErr_WriteUnraisable" unsafe extern "C" fn(Object);
}

/// `PyMethodDef`.
#[repr(C)]
struct MethodDef {
    name: *const c_char,
    call: unsafe extern "C" fn(Object, Object) -> Object,
    flags: c_int,
    doc: *const c_char,
}

// SAFETY: pointers to constants alone.
unsafe impl Sync for MethodDef {}

/// `METH_VARARGS`.
const VARARGS: c_int = 1;

/// Something to do with Python's lock held.
pub(super) type Work = Box<dyn FnOnce(&Interpreter) -> Result<()>>;

thread_local! {
    /// What [`Interpreter::run_after_loading`] was given on this thread.
    static AFTER_LOADING: RefCell<Option<Work>> = const { RefCell::new(None) };
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated name.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// `Py_file_input`: a module's worth of statements.
const FILE_INPUT: c_int = 257;

impl Interpreter {
    /// The interpreter of this process, if there is one and it runs.
    pub(super) fn find() -> Option<(Self, State)> {
        let python = Self::load()?;
        // SAFETY: may be called at any time from any thread.
        if unsafe { (python.is_initialized)() } == 0 {
            return None;
        }
        // SAFETY: may be called from any thread once Python is initialised.
        let holds = unsafe { (python.holds_lock)() } != 0;
        Some((python, if holds { State::HoldsLock } else { State::WithoutLock }))
    }

    /// Runs statements in a namespace of their own, in which these texts have names. On failure the Python exception stays set.
    /// Needs the lock.
    pub(super) fn run(&self, code: &str, file: &str, texts: &[(&CStr, &str)]) -> Result<()> {
        let code = CString::new(code)?;
        let file = CString::new(file)?;
        // SAFETY: this thread holds Python's lock (the callers' promise); every object is checked before use, and each
        // reference that we own is given back once (`builtins` is borrowed).
        let done = unsafe {
            let globals = (self.new_dict)();
            if globals.is_null() {
                return Err(python_failed());
            }
            (self.set_item)(globals, c"__builtins__".as_ptr(), (self.builtins)());
            let is_named = texts.iter().all(|(name, text)| {
                let value = (self.new_text)(text.as_ptr().cast(), text.len() as isize);
                let set = !value.is_null() && (self.set_item)(globals, name.as_ptr(), value) == 0;
                if !value.is_null() {
                    (self.drop_reference)(value);
                }
                set
            });
            let compiled =
                if is_named { (self.compile)(code.as_ptr(), file.as_ptr(), FILE_INPUT) } else { std::ptr::null_mut() };
            let result = if compiled.is_null() { compiled } else { (self.evaluate)(compiled, globals, globals) };
            for object in [compiled, result, globals] {
                if !object.is_null() {
                    (self.drop_reference)(object);
                }
            }
            !result.is_null()
        };
        if done { Ok(()) } else { Err(python_failed()) }
    }

    /// Does the work on this thread as soon as the loader has returned to Python: at the next event that a profiler would see,
    /// which is the end of the function that called the loader. An error becomes that function's exception.
    ///
    /// Inside the loader no Python code may run. It would let go of Python's lock now and then, and another thread that gets it
    /// may wait for the loader, which waits for us: neither would ever go on.
    ///
    /// Gives the work back if that cannot be: no Python function called us, or a profiler is at work. Needs the lock.
    pub(super) fn run_after_loading(&self, work: Work) -> std::result::Result<(), Work> {
        static METHOD: MethodDef = MethodDef {
            name: c"torchop_after_loading".as_ptr(),
            call: after_loading,
            flags: VARARGS,
            doc: std::ptr::null(),
        };
        // SAFETY: this thread holds Python's lock (the caller's promise); every object is checked before use, and each
        // reference that we own is given back once (those of `sys` are borrowed). Nothing here runs Python code.
        let set = unsafe {
            !(self.current_frame)().is_null() && self.has_no_profiler() && {
                let function = (self.new_function)(&raw const METHOD, std::ptr::null_mut(), std::ptr::null_mut());
                let set = !function.is_null() && self.set_profiler(function);
                if !function.is_null() {
                    (self.drop_reference)(function);
                }
                set
            }
        };
        if !set {
            return Err(work);
        }
        AFTER_LOADING.set(Some(work));
        Ok(())
    }

    /// # Safety
    /// This thread holds Python's lock.
    unsafe fn has_no_profiler(&self) -> bool {
        // SAFETY: the caller's promise; the symbol is the object None itself.
        unsafe {
            let get = (self.sys_object)(c"getprofile".as_ptr());
            let Some(none) = symbol(c"_Py_NoneStruct") else { return false };
            if get.is_null() {
                return false;
            }
            let profiler = (self.call_with)(get, std::ptr::null_mut::<c_void>());
            if profiler.is_null() {
                (self.clear_error)();
                return false;
            }
            (self.drop_reference)(profiler);
            profiler == none
        }
    }

    /// # Safety
    /// This thread holds Python's lock; `profiler` is a live object.
    unsafe fn set_profiler(&self, profiler: Object) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let set = (self.sys_object)(c"setprofile".as_ptr());
            if set.is_null() {
                return false;
            }
            let result = (self.call_with)(set, profiler, std::ptr::null_mut::<c_void>());
            if result.is_null() {
                (self.clear_error)();
                return false;
            }
            (self.drop_reference)(result);
            true
        }
    }

    /// Runs statements as soon as some thread holds the lock and looks for pending calls.
    pub(super) fn run_later(&self, code: &'static OnceLock<String>) -> Result<()> {
        unsafe extern "C" fn pending(code: *mut c_void) -> c_int {
            // SAFETY: the pointer is the `&'static OnceLock<String>` that was given below.
            let code = unsafe { &*code.cast::<OnceLock<String>>() };
            if let (Some((python, State::HoldsLock)), Some(code)) = (Interpreter::find(), code.get())
                && python.run(code, super::FILE, super::TEXTS).is_err()
            {
                // SAFETY: pending calls run with the lock held. Nobody waits for the outcome, so it is written to stderr.
                unsafe { (python.write_unraisable)(std::ptr::null_mut()) };
            }
            0
        }
        // SAFETY: needs no lock; function and argument live for ever.
        match unsafe { (self.add_pending_call)(Some(pending), std::ptr::from_ref(code).cast_mut().cast()) } {
            0 => Ok(()),
            _ => Err(Error::runtime(
                "Python has too many pending calls to register the fake classes; load the library again, or from Python",
            )),
        }
    }

    /// Keeps an exception that is set. Needs the lock.
    pub(super) fn add_audit_hook(&self, hook: AuditHook) {
        let [mut class, mut value, mut traceback] = [std::ptr::null_mut(); 3];
        // SAFETY: this thread holds the lock (the caller's promise); the hook lives as long as the library, which is pinned; what
        // is fetched is restored.
        unsafe {
            (self.fetch_error)(&mut class, &mut value, &mut traceback);
            if (self.add_audit_hook)(hook, std::ptr::null_mut()) != 0 {
                // Another hook refused ours: a second load stays silent.
                (self.clear_error)();
            }
            (self.restore_error)(class, value, traceback);
        }
    }

    /// The first item of a tuple, if it is text.
    ///
    /// # Safety
    /// This thread holds Python's lock; `tuple` is a live tuple.
    pub(super) unsafe fn text_of_first(&self, tuple: Object) -> Option<String> {
        // SAFETY: the caller's promise; item and text are borrowed from the tuple, and copied.
        unsafe {
            let item = (self.tuple_item)(tuple, 0);
            let mut length = 0;
            let text = if item.is_null() { std::ptr::null() } else { (self.text)(item, &mut length) };
            if text.is_null() {
                (self.clear_error)();
                return None;
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), usize::try_from(length).ok()?);
            std::str::from_utf8(bytes).ok().map(str::to_owned)
        }
    }

    /// Sets an exception, unless one is set already, which tells more. Needs the lock.
    pub(super) fn raise(&self, kind: ErrorKind, message: &str) {
        let Ok(message) = CString::new(message.replace('\0', "\\0")) else { return };
        let class = match kind {
            ErrorKind::Value => c"PyExc_ValueError",
            ErrorKind::Type => c"PyExc_TypeError",
            ErrorKind::Index => c"PyExc_IndexError",
            ErrorKind::NotImplemented => c"PyExc_NotImplementedError",
            ErrorKind::OutOfMemory => c"PyExc_MemoryError",
            ErrorKind::Runtime => c"PyExc_RuntimeError",
        };
        // SAFETY: this thread holds the lock (the caller's promise); the symbol is a variable that holds the class.
        unsafe {
            if !(self.error_occurred)().is_null() {
                return;
            }
            if let Some(class) = symbol(class) {
                (self.set_error)(*class.cast::<Object>(), message.as_ptr());
            }
        }
    }
}

/// The profiler that [`Interpreter::run_after_loading`] sets: takes itself off and does the work.
///
/// # Safety
/// Called by Python with its lock held.
unsafe extern "C" fn after_loading(_: Object, _: Object) -> Object {
    let done = catch_unwind(|| {
        let Some((python, State::HoldsLock)) = Interpreter::find() else { return Ok(None) };
        let none = symbol(c"_Py_NoneStruct").ok_or_else(|| Error::runtime("this Python has no None"))?;
        // SAFETY: the lock is held, and None lives for ever.
        unsafe { python.set_profiler(none) };
        if let Some(work) = AFTER_LOADING.take() {
            work(&python)?;
        }
        // SAFETY: the lock is held; the reference is for our caller.
        unsafe { (python.add_reference)(none) };
        Ok(Some(none))
    });
    let error = match done {
        Ok(Ok(Some(none))) => return none,
        Ok(Ok(None)) => Error::runtime("Python ended while a library was loaded"),
        Ok(Err(error)) => error,
        Err(payload) => Error::runtime(format!("loading {}", crate::op::caught(payload))),
    };
    crate::load::report(&error);
    std::ptr::null_mut()
}
