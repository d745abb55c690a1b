//! Gradients beyond the example's.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use torchop::prelude::*;

/// What `product`'s backward was asked for last: 1 for x, 2 for y.
static ASKED: AtomicI64 = AtomicI64::new(0);

/// What these operators do not do is broadcast.
pub fn same_sizes(x: &Tensor, y: &Tensor) -> Result<()> {
    let (ours, theirs) = (x.sizes()?, y.sizes()?);
    if ours == theirs {
        Ok(())
    } else {
        Err(Error::value(format!("expected tensors of one size, got {ours} and {theirs}")))
    }
}

#[torch_op(schema = "test_ops::product(Tensor x, Tensor y) -> Tensor", cpu)]
pub fn product(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    same_sizes(x, y)?;
    x.mul(y)
}

#[torch_op(fake_of = product)]
fn product_fake(x: &FakeTensor, _y: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = product)]
fn product_backward(
    grad_output: &Tensor,
    x: &Tensor,
    y: &Tensor,
    needs_grad_x: bool,
    needs_grad_y: bool,
) -> Result<(Option<Tensor>, Option<Tensor>)> {
    ASKED.store(i64::from(needs_grad_x) + 2 * i64::from(needs_grad_y), SeqCst);
    Ok((needs_grad_x.then(|| grad_output.mul(y)).transpose()?, needs_grad_y.then(|| grad_output.mul(x)).transpose()?))
}

#[torch_op(schema = "test_ops::asked() -> int", composite_explicit)]
fn asked() -> i64 {
    ASKED.load(SeqCst)
}

/// `x * scale ** power + bias`
#[torch_op(schema = "test_ops::affine(Tensor x, Tensor? bias, float scale, int power=1) -> Tensor", cpu)]
pub fn affine(x: &Tensor, bias: Option<&Tensor>, scale: f64, power: i64) -> Result<Tensor> {
    let y = x.mul_scalar(scale.powi(power as i32))?;
    match bias {
        Some(bias) => {
            same_sizes(x, bias)?;
            y.add(bias)
        }
        None => Ok(y),
    }
}

#[torch_op(fake_of = affine)]
fn affine_fake(x: &FakeTensor, _bias: Option<&FakeTensor>, _scale: f64, _power: i64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = affine)]
fn affine_backward(
    grad_output: &Tensor,
    bias: Option<&Tensor>,
    scale: f64,
    power: i64,
) -> Result<(Tensor, Option<Tensor>)> {
    let bias = bias.map(|_| grad_output.deep_clone()).transpose()?;
    Ok((grad_output.mul_scalar(scale.powi(power as i32))?, bias))
}

/// `x * (1 + 2a + 3b)`, each of them if it is given.
#[torch_op(schema = "test_ops::two_optional(Tensor x, Tensor? a, Tensor? b) -> Tensor", cpu)]
fn two_optional(x: &Tensor, a: Option<&Tensor>, b: Option<&Tensor>) -> Result<Tensor> {
    let mut y = x.deep_clone()?;
    for (factor, weight) in [(2.0, a), (3.0, b)] {
        if let Some(weight) = weight {
            same_sizes(x, weight)?;
            y = y.add(&x.mul(weight)?.mul_scalar(factor)?)?;
        }
    }
    Ok(y)
}

#[torch_op(fake_of = two_optional)]
fn two_optional_fake(x: &FakeTensor, _a: Option<&FakeTensor>, _b: Option<&FakeTensor>) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = two_optional, gradients(x))]
fn two_optional_backward(grad_output: &Tensor, a: Option<&Tensor>, b: Option<&Tensor>) -> Result<Tensor> {
    let mut grad = grad_output.deep_clone()?;
    for (factor, weight) in [(2.0, a), (3.0, b)] {
        if let Some(weight) = weight {
            grad = grad.add(&grad_output.mul(weight)?.mul_scalar(factor)?)?;
        }
    }
    Ok(grad)
}

/// `(3x, x * x)`; an unused result's gradient is zeros.
#[torch_op(schema = "test_ops::two_results(Tensor x) -> (Tensor, Tensor)", cpu)]
pub fn two_results(x: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((x.mul_scalar(3.0)?, x.mul(x)?))
}

#[torch_op(fake_of = two_results)]
fn two_results_fake(x: &FakeTensor) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?))
}

#[torch_op(backward_of = two_results)]
fn two_results_backward(grad_output0: &Tensor, grad_output1: &Tensor, x: &Tensor) -> Result<Tensor> {
    grad_output0.mul_scalar(3.0)?.add(&grad_output1.mul(x)?.mul_scalar(2.0)?)
}

/// How many gradients `two_results_lazily`'s backward saw last.
static SEEN: AtomicI64 = AtomicI64::new(0);

#[torch_op(schema = "test_ops::seen() -> int", composite_explicit)]
fn seen() -> i64 {
    SEEN.load(SeqCst)
}

/// The same; an unused result's gradient is `None`.
#[torch_op(schema = "test_ops::two_results_lazily(Tensor x) -> (Tensor triple, Tensor square)", cpu)]
fn two_results_lazily(x: &Tensor) -> Result<(Tensor, Tensor)> {
    two_results::kernel(x)
}

#[torch_op(fake_of = two_results_lazily)]
fn two_results_lazily_fake(x: &FakeTensor) -> Result<(FakeTensor, FakeTensor)> {
    two_results_fake(x)
}

#[torch_op(backward_of = two_results_lazily)]
fn two_results_lazily_backward(
    grad_triple: Option<&Tensor>,
    grad_square: Option<&Tensor>,
    x: &Tensor,
) -> Result<Option<Tensor>> {
    SEEN.store(i64::from(grad_triple.is_some()) + i64::from(grad_square.is_some()), SeqCst);
    let triple = grad_triple.map(|g| g.mul_scalar(3.0)).transpose()?;
    let square = grad_square.map(|g| g.mul(x)?.mul_scalar(2.0)).transpose()?;
    Ok(match (triple, square) {
        (Some(a), Some(b)) => Some(a.add(&b)?),
        (one, None) | (None, one) => one,
    })
}

/// `exp(x)` for small x; the backward needs the result alone.
#[torch_op(schema = "test_ops::exponential(Tensor x) -> Tensor", cpu)]
pub fn exponential(x: &Tensor) -> Result<Tensor> {
    let mut sum = x.mul_scalar(1.0 / 30.0)?;
    for k in (1..30).rev() {
        // Horner: x/k * (1 + …)
        sum = x.mul(&sum)?.add(x)?.mul_scalar(1.0 / f64::from(k))?;
    }
    sum.add(&crate::calls::ones_like(x)?)
}

#[torch_op(fake_of = exponential)]
fn exponential_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = exponential)]
fn exponential_backward(grad_output: &Tensor, output: &Tensor) -> Result<Tensor> {
    grad_output.mul(output)
}

/// A result that has no gradient beside one that has.
#[torch_op(schema = "test_ops::with_index(Tensor x, Tensor index) -> (Tensor, Tensor, int)", cpu)]
fn with_index(x: &Tensor, index: &Tensor) -> Result<(Tensor, Tensor, i64)> {
    Ok((x.mul_scalar(2.0)?, index.deep_clone()?, index.numel()?))
}

#[torch_op(backward_of = with_index)]
fn with_index_backward(grad_output0: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
    Ok((grad_output0.mul_scalar(2.0)?, None))
}

fn weighted_squares(tensors: &[&Tensor], weights: &[f64]) -> Result<Tensor> {
    let Some(first) = tensors.first() else { return Err(Error::value("expected at least one tensor")) };
    let mut sum = first.zeros_like()?;
    for (x, weight) in tensors.iter().zip(weights) {
        same_sizes(first, x)?;
        sum = sum.add(&x.mul(x)?.mul_scalar(*weight)?)?;
    }
    Ok(sum)
}

/// The sum of `weights[i] * xs[i] ** 2`.
#[torch_op(schema = "test_ops::sum_list(Tensor[] xs, float[] weights) -> Tensor", cpu)]
fn sum_list(xs: Vec<&Tensor>, weights: Vec<f64>) -> Result<Tensor> {
    weighted_squares(&xs, &weights)
}

#[torch_op(fake_of = sum_list)]
fn sum_list_fake(xs: List<'_, &FakeTensor>, _weights: List<'_, f64>) -> Result<FakeTensor> {
    xs.get(0).ok_or_else(|| Error::value("expected at least one tensor"))?.empty_like()
}

#[torch_op(backward_of = sum_list)]
fn sum_list_backward(grad_output: &Tensor, xs: List<'_, &Tensor>, weights: List<'_, f64>) -> Result<Vec<Tensor>> {
    xs.iter().zip(weights.iter()).map(|(x, weight)| grad_output.mul(x)?.mul_scalar(2.0 * weight)).collect()
}

/// The sum of `2 * x ** 2` over xs and `3 * y ** 2` over ys.
#[torch_op(schema = "test_ops::sum_lists(Tensor[] xs, Tensor[] ys) -> Tensor", cpu)]
fn sum_lists(xs: Vec<&Tensor>, ys: Vec<&Tensor>) -> Result<Tensor> {
    let weights: Vec<f64> = xs.iter().map(|_| 2.0).chain(ys.iter().map(|_| 3.0)).collect();
    weighted_squares(&[xs, ys].concat(), &weights)
}

#[torch_op(fake_of = sum_lists)]
fn sum_lists_fake(xs: Vec<&FakeTensor>, ys: Vec<&FakeTensor>) -> Result<FakeTensor> {
    xs.first().or(ys.first()).ok_or_else(|| Error::value("expected at least one tensor"))?.empty_like()
}

#[torch_op(backward_of = sum_lists)]
fn sum_lists_backward(
    grad_output: &Tensor,
    xs: List<'_, &Tensor>,
    ys: List<'_, &Tensor>,
) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let gradients = |list: List<'_, &Tensor>, factor| -> Result<Vec<Tensor>> {
        list.iter().map(|x| grad_output.mul(x)?.mul_scalar(factor)).collect()
    };
    Ok((gradients(xs, 4.0)?, gradients(ys, 6.0)?))
}

/// The sum of the squares of those that are there.
#[torch_op(schema = "test_ops::sum_optional_list(Tensor?[] xs) -> Tensor", cpu)]
fn sum_optional_list(xs: Vec<Option<&Tensor>>) -> Result<Tensor> {
    let there: Vec<&Tensor> = xs.into_iter().flatten().collect();
    weighted_squares(&there, &vec![1.0; there.len()])
}

#[torch_op(fake_of = sum_optional_list)]
fn sum_optional_list_fake(xs: Vec<Option<&FakeTensor>>) -> Result<FakeTensor> {
    xs.into_iter().flatten().next().ok_or_else(|| Error::value("expected at least one tensor"))?.empty_like()
}

#[torch_op(backward_of = sum_optional_list)]
fn sum_optional_list_backward(grad_output: &Tensor, xs: List<'_, Option<&Tensor>>) -> Result<Vec<Option<Tensor>>> {
    xs.iter().map(|x| x.map(|x| grad_output.mul(x)?.mul_scalar(2.0)).transpose()).collect()
}

#[torch_op(schema = "test_ops::no_backward(Tensor x) -> Tensor", cpu)]
fn no_backward(x: &Tensor) -> Result<Tensor> {
    x.mul_scalar(2.0)
}

#[torch_op(fake_of = no_backward)]
fn no_backward_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

/// `x * w`, differentiable in x alone.
#[torch_op(schema = "test_ops::narrowed(Tensor x, Tensor w) -> Tensor", cpu)]
fn narrowed(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    x.mul(w)
}

#[torch_op(backward_of = narrowed, gradients(x))]
fn narrowed_backward(grad_output: &Tensor, w: &Tensor) -> Result<Tensor> {
    grad_output.mul(w)
}

/// `x * (sum(k) + f)`, or its negative; constants of every type reach the backward.
#[torch_op(schema = "test_ops::keyed(Tensor x, str mode, int[] k, bool on, float? f=None) -> Tensor", cpu)]
fn keyed(x: &Tensor, mode: &str, k: List<'_, i64>, on: bool, f: Option<f64>) -> Result<Tensor> {
    x.mul_scalar(factor(mode, k, on, f))
}

fn factor(mode: &str, k: List<'_, i64>, on: bool, f: Option<f64>) -> f64 {
    let sum = k.iter().sum::<i64>() as f64 + f.unwrap_or(0.5) + f64::from(u8::from(on)) * 100.0;
    if mode == "negative" { -sum } else { sum }
}

#[torch_op(fake_of = keyed)]
fn keyed_fake(x: &FakeTensor, _mode: &str, _k: List<'_, i64>, _on: bool, _f: Option<f64>) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = keyed)]
fn keyed_backward(grad_output: &Tensor, mode: &str, k: List<'_, i64>, on: bool, f: Option<f64>) -> Result<Tensor> {
    grad_output.mul_scalar(factor(mode, k, on, f))
}

/// Torch sees its parts.
#[torch_op(schema = "test_ops::composite_cube(Tensor x) -> Tensor", composite)]
fn composite_cube(x: &Tensor) -> Result<Tensor> {
    x.mul(x)?.mul(x)
}

/// A backward whose gradient has other sizes than the argument.
#[torch_op(schema = "test_ops::wrong_gradient(Tensor x) -> Tensor", cpu)]
fn wrong_gradient(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(backward_of = wrong_gradient)]
fn wrong_gradient_backward(grad_output: &Tensor) -> Result<Tensor> {
    grad_output.reshape(&[-1, 1])?.deep_clone()
}

/// A backward that gives a list of gradients of the wrong length.
#[torch_op(schema = "test_ops::short_gradients(Tensor[] xs) -> Tensor", cpu)]
fn short_gradients(xs: Vec<&Tensor>) -> Result<Tensor> {
    weighted_squares(&xs, &vec![1.0; xs.len()])
}

#[torch_op(backward_of = short_gradients)]
fn short_gradients_backward(grad_output: &Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![grad_output.deep_clone()?])
}

thread_local! {
    static TAPPED: std::cell::RefCell<Option<Tensor>> = const { std::cell::RefCell::new(None) };
}

/// A copy whose gradient is kept for [`tapped`]: torch has no operator that reads `x.grad`.
#[torch_op(schema = "test_ops::tap(Tensor x) -> Tensor", cpu)]
pub fn tap(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(backward_of = tap)]
fn tap_backward(grad_output: &Tensor) -> Result<Tensor> {
    TAPPED.set(Some(grad_output.clone()));
    grad_output.deep_clone()
}

/// The last gradient of a [`tap`] whose backward ran on this thread.
pub fn tapped() -> Option<Tensor> {
    TAPPED.take()
}

/// The operators of this crate that have a backward.
#[torch_op(schema = "test_ops::differentiable_operators() -> str[]", composite_explicit)]
fn differentiable_operators() -> Vec<String> {
    use torchop::__private0::{REGISTRATIONS, Registration};
    let backwards = REGISTRATIONS.iter().filter_map(|entry| match entry {
        Registration::Backward { op, .. } if op.overload.is_empty() => Some(op.name.to_owned()),
        Registration::Backward { op, .. } => Some(format!("{}.{}", op.name, op.overload)),
        _ => None,
    });
    backwards.collect()
}
