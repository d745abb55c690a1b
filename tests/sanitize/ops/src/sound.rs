//! Operators that succeed, fail and panic. None of them may leave anything behind.

use torchop::prelude::*;

/// Every kind of argument.
#[torch_op(
    schema = "torchop_sanitize::arguments(Tensor x, Tensor[] xs, Tensor? maybe, str text, int[] sizes, float[] numbers, \
              str[] words) -> (Tensor, Tensor[], str, int[])",
    cpu
)]
fn arguments(
    x: &Tensor,
    xs: List<'_, &Tensor>,
    maybe: Option<&Tensor>,
    text: &str,
    sizes: Vec<i64>,
    numbers: Vec<f64>,
    words: Vec<&str>,
) -> Result<(Tensor, Vec<Tensor>, String, Vec<i64>)> {
    let mut sum = x.deep_clone()?;
    for other in xs.iter().chain(maybe) {
        sum = sum.add(other)?;
    }
    let scaled: Result<Vec<Tensor>> = numbers.iter().map(|&number| x.mul_scalar(number)).collect();
    Ok((sum, scaled?, format!("{text}{}", words.concat()), sizes))
}

/// Saves its argument, its output and a number for the backward.
#[torch_op(schema = "torchop_sanitize::scale(Tensor x, float by) -> Tensor", cpu)]
fn scale(x: &Tensor, by: f64) -> Result<Tensor> {
    x.mul_scalar(by)
}

#[torch_op(fake_of = scale)]
fn scale_fake(x: &FakeTensor, _by: f64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = scale)]
fn scale_backward(grad_output: &Tensor, x: &Tensor, output: &Tensor, by: f64) -> Result<Tensor> {
    // Zeros of what was saved: a wrong shape or a freed tensor shows.
    grad_output.mul_scalar(by)?.add(&x.mul_scalar(0.0)?)?.add(&output.mul_scalar(0.0)?)
}

/// Fails with an error of its own, with references in hand.
#[torch_op(schema = "torchop_sanitize::fail(Tensor x) -> Tensor", cpu)]
fn fail(x: &Tensor) -> Result<Tensor> {
    let (_another, copy) = (x.clone(), x.deep_clone()?);
    Err(Error::value(format!("asked to fail with {copy:?}")))
}

/// Passes on an exception of torch's.
#[torch_op(schema = "torchop_sanitize::fail_in_torch(Tensor x) -> Tensor", cpu)]
fn fail_in_torch(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()?.reshape(&[-3])
}

/// Returns what torchop refuses: its argument.
#[torch_op(schema = "torchop_sanitize::alias(Tensor x) -> Tensor", cpu)]
fn alias(x: &Tensor) -> Tensor {
    x.clone()
}

/// Panics with references in hand.
#[torch_op(schema = "torchop_sanitize::panics(Tensor x) -> Tensor", cpu)]
#[allow(clippy::panic)]
fn panics(x: &Tensor) -> Result<Tensor> {
    let (_another, copy) = (x.clone(), x.deep_clone()?);
    panic!("asked to panic with {copy:?}")
}

/// Its backward fails, or panics.
#[torch_op(schema = "torchop_sanitize::bad_backward(Tensor x, bool panics) -> Tensor", cpu)]
fn bad_backward(x: &Tensor, _panics: bool) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(backward_of = bad_backward)]
#[allow(clippy::panic)]
fn bad_backward_backward(grad_output: &Tensor, x: &Tensor, panics: bool) -> Result<Tensor> {
    let _kept = (grad_output.clone(), x.clone());
    if panics {
        panic!("asked to panic in backward");
    }
    Err(Error::value("asked to fail in backward"))
}
