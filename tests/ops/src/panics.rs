//! Panics, everywhere that Rust code of a user runs.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use torchop::prelude::*;

/// The line of the panic is that of this function's body.
fn panic_if(now: bool, text: &str) {
    assert!(!now, "{text}");
}

/// Panics at `place` ("kernel", "fake", "backward"); doubles otherwise.
#[torch_op(schema = "test_ops::panic_at(Tensor x, str place) -> Tensor", cpu)]
fn panic_at(x: &Tensor, place: &str) -> Result<Tensor> {
    panic_if(place == "kernel", "no kernel today");
    x.mul_scalar(2.0)
}

#[torch_op(fake_of = panic_at)]
fn panic_at_fake(x: &FakeTensor, place: &str) -> Result<FakeTensor> {
    panic_if(place == "fake", "no fake today");
    x.empty_like()
}

#[torch_op(backward_of = panic_at)]
fn panic_at_backward(grad_output: &Tensor, place: &str) -> Result<Tensor> {
    panic_if(place == "backward", "no backward today");
    grad_output.mul_scalar(2.0)
}

#[torch_op(schema = "test_ops::panic_composite(Tensor x) -> Tensor", composite)]
fn panic_composite(x: &Tensor) -> Result<Tensor> {
    panic_if(x.dim()? > 0, "no parts today");
    x.deep_clone()
}

/// Panics in several ways.
#[torch_op(schema = "test_ops::panic_how(Tensor x, str how) -> Tensor", cpu)]
fn panic_how(x: &Tensor, how: &str) -> Result<Tensor> {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("and again in Drop of the payload");
        }
    }
    let held = x.deep_clone()?;
    match how {
        "unwrap" => drop(None::<i64>.unwrap()),
        "index" => drop(x.sizes()?.to_vec()[how.len()]),
        "number" => panic_any(42),
        "bomb" => panic_any(Bomb),
        "rethrown" => {
            // Caught and dropped: its place must not be taken for the next one's.
            drop(catch_unwind(|| panic_any("an earlier one")));
            resume_unwind(Box::new("thrown without a place"));
        }
        "thread" => std::thread::spawn(|| panic!("in a thread of the user's")).join().unwrap(),
        "nested" => {
            let inner = catch_unwind(AssertUnwindSafe(|| panic_at(x, "kernel")));
            return inner.unwrap();
        }
        _ => {}
    }
    Ok(held)
}

/// Panics at `place` ("constructor", "method", "getter", "drop").
#[torch_class(name = "test_ops::Panicking", pickle, flatten)]
struct Panicking {
    place: String,
}

#[torch_class]
impl Panicking {
    #[init]
    fn new(place: &str) -> Self {
        panic_if(place == "constructor", "no object today");
        Panicking { place: place.into() }
    }

    fn method(&self, x: &Tensor) -> Result<Tensor> {
        panic_if(self.place == "method", "no method today");
        x.mul_scalar(2.0)
    }

    #[fake(method)]
    fn method_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        panic_if(self.place == "fake", "no fake method today");
        x.empty_like()
    }

    #[getter]
    fn getter(&self) -> i64 {
        panic_if(self.place == "getter", "no getter today");
        7
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        panic_if(self.place == "drop", "no drop today");
    }
}
