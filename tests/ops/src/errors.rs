//! Errors of every kind, from every place that can fail.

use std::fmt;
use torchop::prelude::*;

fn error(kind: &str, text: &str) -> Error {
    let kind = match kind {
        "RuntimeError" => ErrorKind::Runtime,
        "ValueError" => ErrorKind::Value,
        "TypeError" => ErrorKind::Type,
        "IndexError" => ErrorKind::Index,
        "NotImplementedError" => ErrorKind::NotImplemented,
        _ => ErrorKind::OutOfMemory,
    };
    Error::new(kind, text)
}

/// Fails at `place` ("kernel", "fake", "backward"); doubles otherwise.
#[torch_op(schema = "test_ops::fail_at(Tensor x, str place, str kind, str text) -> Tensor", cpu)]
fn fail_at(x: &Tensor, place: &str, kind: &str, text: &str) -> Result<Tensor> {
    if place == "kernel" { Err(error(kind, text)) } else { x.mul_scalar(2.0) }
}

#[torch_op(fake_of = fail_at)]
fn fail_at_fake(x: &FakeTensor, place: &str, kind: &str, text: &str) -> Result<FakeTensor> {
    if place == "fake" { Err(error(kind, text)) } else { x.empty_like() }
}

#[torch_op(backward_of = fail_at)]
fn fail_at_backward(grad_output: &Tensor, place: &str, kind: &str, text: &str) -> Result<Tensor> {
    if place == "backward" { Err(error(kind, text)) } else { grad_output.mul_scalar(2.0) }
}

#[torch_op(schema = "test_ops::fail_composite(Tensor x, str kind, str text) -> Tensor", composite)]
fn fail_composite(_x: &Tensor, kind: &str, text: &str) -> Result<Tensor> {
    Err(error(kind, text))
}

/// Fails at `place` ("constructor", "method", "getter"); counts to 7 otherwise.
#[torch_class(name = "test_ops::Failing", pickle, flatten)]
struct Failing {
    place: String,
    kind: String,
    text: String,
}

#[torch_class]
impl Failing {
    #[init]
    fn new(place: &str, kind: &str, text: &str) -> Result<Self> {
        let this = Failing { place: place.into(), kind: kind.into(), text: text.into() };
        this.unless("constructor")?;
        Ok(this)
    }

    fn method(&self) -> Result<i64> {
        self.unless("method")
    }

    #[getter]
    fn getter(&self) -> Result<i64> {
        self.unless("getter")
    }

    #[skip]
    fn unless(&self, place: &str) -> Result<i64> {
        if self.place == place { Err(error(&self.kind, &self.text)) } else { Ok(7) }
    }
}

/// A C++ exception, passed on.
#[torch_op(schema = "test_ops::reshape_to(Tensor x, int[] sizes) -> Tensor", cpu)]
fn reshape_to(x: &Tensor, sizes: Vec<i64>) -> Result<Tensor> {
    x.deep_clone()?.reshape(&sizes)
}

/// What Rust sees of it.
#[torch_op(schema = "test_ops::reshape_failure(Tensor x, int[] sizes) -> str", cpu)]
fn reshape_failure(x: &Tensor, sizes: Vec<i64>) -> Result<String> {
    let Err(error) = x.reshape(&sizes) else { return Err(Error::value("reshape did not fail")) };
    Ok(format!("{:?} | {} | {}", error.kind(), error.message(), error.location()))
}

/// Another error in its place.
#[torch_op(schema = "test_ops::reshape_reworded(Tensor x, int[] sizes) -> Tensor", cpu)]
fn reshape_reworded(x: &Tensor, sizes: Vec<i64>) -> Result<Tensor> {
    x.reshape(&sizes).map_err(|error| Error::value(format!("no room: {}", error.message())))?.deep_clone()
}

/// An error of the standard library's, by `?`.
#[torch_op(schema = "test_ops::parse(str text) -> int", composite_explicit)]
fn parse(text: &str) -> Result<i64> {
    Ok(text.parse::<i64>()?)
}

/// An error with its causes.
#[derive(Debug)]
struct Chained(Option<Box<Chained>>, &'static str);

impl fmt::Display for Chained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }
}

impl std::error::Error for Chained {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.as_deref().map(|source| source as _)
    }
}

/// Returns the error itself: any `E: Into<Error>` does.
#[torch_op(schema = "test_ops::fail_chained() -> int", composite_explicit)]
fn fail_chained() -> std::result::Result<i64, Chained> {
    Err(Chained(Some(Box::new(Chained(None, "the disk is full"))), "cannot write the model"))
}
