//! Operators with an effect beside their results: each call is written down.

use crate::classes::Scale;
use std::sync::{Mutex, PoisonError};
use torchop::prelude::*;

static NOTES: Mutex<Vec<i64>> = Mutex::new(Vec::new());

fn write_down(n: i64) {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner).push(n);
}

/// What was written down since it was asked for last.
#[torch_op(schema = "test_effects::taken() -> int[]", composite_explicit)]
fn taken() -> Vec<i64> {
    std::mem::take(&mut *NOTES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Gives nothing: that it has an effect goes without saying.
#[torch_op(schema = "test_effects::note(Tensor x, int n) -> ()", cpu)]
fn note(_x: &Tensor, n: i64) {
    write_down(n);
}

/// Gives nothing and takes no tensor.
#[torch_op(schema = "test_effects::number(int n) -> ()", composite_explicit)]
fn number(n: i64) {
    write_down(n);
}

/// Gives nothing, and its fake looks at the shape.
#[torch_op(schema = "test_effects::note_rows(Tensor x) -> ()", cpu)]
fn note_rows(x: &Tensor) -> Result<()> {
    write_down(x.size(0)?);
    Ok(())
}

#[torch_op(fake_of = note_rows)]
fn note_rows_fake(x: &FakeTensor) -> Result<()> {
    if x.dim()? == 0 {
        return Err(Error::value("expected rows, got a tensor without dimensions"));
    }
    Ok(())
}

/// Gives a tensor and is called for more than that.
#[torch_op(schema = "test_effects::tick(Tensor x, int n) -> Tensor", cpu, effectful)]
fn tick(x: &Tensor, n: i64) -> Result<Tensor> {
    write_down(n);
    x.deep_clone()
}

#[torch_op(fake_of = tick)]
fn tick_fake(x: &FakeTensor, _n: i64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = tick)]
fn tick_backward(grad_output: &Tensor) -> Result<Tensor> {
    grad_output.deep_clone()
}

/// Gives a number, which an exported program would keep.
#[torch_op(schema = "test_effects::count(Tensor x) -> int", cpu, effectful)]
fn count(_x: &Tensor) -> i64 {
    write_down(-1);
    7
}

#[torch_op(fake_of = count)]
fn count_fake(_x: &FakeTensor) -> Result<i64> {
    Ok(7)
}

/// An overload.
#[torch_op(schema = "test_effects::tick.scaled(Tensor x, int n, float factor) -> Tensor", cpu, effectful, fake = like(x), nondifferentiable)]
fn tick_scaled(x: &Tensor, n: i64, factor: f64) -> Result<Tensor> {
    write_down(n);
    x.mul_scalar(factor)
}

/// As many rows as the first number says, which no fake knows.
#[torch_op(schema = "test_effects::tick_rows(Tensor x, int n) -> Tensor", cpu, effectful, nondifferentiable)]
fn tick_rows(x: &Tensor, n: i64) -> Result<Tensor> {
    write_down(n);
    let rows = x.view::<f32>()?.first().map_or(0, |first| *first as i64);
    Tensor::zeros(&[rows, 2], x.dtype()?)
}

#[torch_op(fake_of = tick_rows)]
fn tick_rows_fake(x: &FakeTensor, _n: i64, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> {
    x.new_empty(&[rows, 2.into()])
}

/// With an object, and no result.
#[torch_op(
    schema = "test_effects::note_scale(__torch__.torch.classes.test_ops.Scale scale, Tensor x, int n) -> ()",
    cpu
)]
fn note_scale(_scale: &Scale, _x: &Tensor, n: i64) {
    write_down(n);
}

#[torch_op(fake_of = note_scale)]
fn note_scale_fake(_scale: &Scale, _x: &FakeTensor, _n: i64) {}

/// With an object and a gradient.
#[torch_op(
    schema = "test_effects::tick_scale(__torch__.torch.classes.test_ops.Scale scale, Tensor x, int n) -> Tensor",
    cpu,
    effectful,
    fake = like(x)
)]
fn tick_scale(scale: &Scale, x: &Tensor, n: i64) -> Result<Tensor> {
    write_down(n);
    x.mul_scalar(scale.factor)
}

#[torch_op(backward_of = tick_scale)]
fn tick_scale_backward(grad_output: &Tensor, scale: &Scale) -> Result<Tensor> {
    grad_output.mul_scalar(scale.factor)
}

/// Whose backward has an effect as well.
#[torch_op(schema = "test_effects::tick_both(Tensor x, int n) -> Tensor", cpu, effectful, fake = like(x))]
fn tick_both(x: &Tensor, n: i64) -> Result<Tensor> {
    write_down(n);
    x.deep_clone()
}

#[torch_op(backward_of = tick_both, name = "test_effects::tick_both_backward", cpu, effectful, fake = like(grad_output))]
fn tick_both_backward(grad_output: &Tensor, n: i64) -> Result<Tensor> {
    write_down(-n);
    grad_output.deep_clone()
}
