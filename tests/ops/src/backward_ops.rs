//! Backwards that are operators themselves, since they look at numbers.

use torchop::prelude::*;

static ITEM: TorchOp = TorchOp::new("aten::item", "");

fn number(x: &Tensor) -> Result<f64> {
    ITEM.call::<f64>((&x.sum()?,))
}

/// `x * sum(x)`; both directions read numbers.
#[torch_op(schema = "test_ops::times_sum(Tensor x) -> Tensor", cpu)]
fn times_sum(x: &Tensor) -> Result<Tensor> {
    x.mul_scalar(number(x)?)
}

#[torch_op(fake_of = times_sum)]
fn times_sum_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = times_sum, name = "test_ops::times_sum_backward", cpu)]
fn times_sum_backward(grad_output: &Tensor, x: &Tensor) -> Result<Tensor> {
    crate::autograd::same_sizes(grad_output, x)?;
    let dot = number(&grad_output.mul(x)?)?;
    grad_output.mul_scalar(number(x)?)?.add(&crate::calls::ones_like(x)?.mul_scalar(dot)?)
}

#[torch_op(fake_of = times_sum_backward)]
fn times_sum_backward_fake(grad_output: &FakeTensor, _x: &FakeTensor) -> Result<FakeTensor> {
    grad_output.empty_like()
}

/// The same with a second derivative: two inputs, a number, and which gradients are wanted.
#[torch_op(schema = "test_ops::weighted(Tensor x, Tensor w, float scale) -> Tensor", cpu)]
fn weighted(x: &Tensor, w: &Tensor, scale: f64) -> Result<Tensor> {
    crate::autograd::same_sizes(x, w)?;
    number(w)?;
    x.mul(w)?.mul_scalar(scale)
}

#[torch_op(fake_of = weighted)]
fn weighted_fake(x: &FakeTensor, _w: &FakeTensor, _scale: f64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(name = "test_ops::weighted_backward", cpu, backward_of = weighted)]
fn weighted_backward(
    grad_output: &Tensor,
    x: &Tensor,
    w: &Tensor,
    scale: f64,
    needs_grad_w: bool,
) -> Result<(Tensor, Tensor)> {
    crate::autograd::same_sizes(x, w)?;
    crate::autograd::same_sizes(x, grad_output)?;
    number(grad_output)?;
    let grad_x = grad_output.mul(w)?.mul_scalar(scale)?;
    Ok((grad_x, if needs_grad_w { grad_output.mul(x)?.mul_scalar(scale)? } else { w.zeros_like()? }))
}

#[torch_op(fake_of = weighted_backward)]
fn weighted_backward_fake(
    grad_output: &FakeTensor,
    _x: &FakeTensor,
    w: &FakeTensor,
    _scale: f64,
    needs_grad_w: bool,
) -> Result<(FakeTensor, FakeTensor)> {
    Ok((grad_output.empty_like()?, if needs_grad_w { grad_output.empty_like()? } else { w.empty_like()? }))
}

#[torch_op(backward_of = weighted_backward, gradients(grad_output, x, w))]
fn weighted_double_backward(
    grad_output0: &Tensor,
    grad_output1: &Tensor,
    grad_output: &Tensor,
    x: &Tensor,
    w: &Tensor,
    scale: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    Ok((
        grad_output0.mul(w)?.add(&grad_output1.mul(x)?)?.mul_scalar(scale)?,
        grad_output1.mul(grad_output)?.mul_scalar(scale)?,
        grad_output0.mul(grad_output)?.mul_scalar(scale)?,
    ))
}
