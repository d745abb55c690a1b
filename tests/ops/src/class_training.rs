//! Gradients of operators that take objects.

use crate::changing::Tally;
use crate::classes::Scale;
use torchop::prelude::*;

static EXP: TorchOp = TorchOp::new("aten::exp", "");
static TRANSPOSE: TorchOp = TorchOp::new("aten::t", "");

fn total(parts: &List<'_, &Tensor>, like: &Tensor) -> Result<Tensor> {
    parts.iter().try_fold(like.zeros_like()?, |total, part| total.add(part))
}

/// `(x * factor * times * the sum of parts + bias, exp(x * factor))`, of matrices.
#[torch_op(
    schema = "test_ops::mix(Tensor x, __torch__.torch.classes.test_ops.Scale scale, Tensor[] parts, Tensor? bias=None, *, int times=2) -> (Tensor, Tensor)",
    cpu
)]
fn mix(
    x: &Tensor,
    scale: &Scale,
    parts: List<'_, &Tensor>,
    bias: Option<&Tensor>,
    times: i64,
) -> Result<(Tensor, Tensor)> {
    let scaled = scale.forward(x)?;
    let first = scaled.mul(&total(&parts, x)?)?.mul_scalar(times as f64)?;
    Ok((bias.map_or(Ok(first.clone()), |bias| first.add(bias))?, EXP.call::<Tensor>((&scaled,))?))
}

#[torch_op(fake_of = mix)]
fn mix_fake(
    x: &FakeTensor,
    _scale: &Scale,
    _parts: List<'_, &FakeTensor>,
    _bias: Option<&FakeTensor>,
    _times: i64,
) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?))
}

/// Every need there is. The gradient of `x` comes in other strides, that of `bias` is the one that was given.
#[torch_op(backward_of = mix)]
#[allow(clippy::too_many_arguments)]
fn mix_backward(
    grad_output0: &Tensor,
    grad_output1: Option<&Tensor>,
    output1: &Tensor,
    x: &Tensor,
    scale: &Scale,
    parts: List<'_, &Tensor>,
    bias: Option<&Tensor>,
    times: i64,
    needs_grad_x: bool,
) -> Result<(Option<Tensor>, Vec<Tensor>, Option<Tensor>)> {
    let scaled = scale.forward(grad_output0)?.mul_scalar(times as f64)?;
    let parts_grad = parts.iter().map(|_| scaled.mul(x)).collect::<Result<_>>()?;
    let mut grad = scaled.mul(&total(&parts, x)?)?;
    if let Some(given) = grad_output1 {
        grad = grad.add(&scale.forward(given)?.mul(output1)?)?;
    }
    let columns = TRANSPOSE.call::<Tensor>((&TRANSPOSE.call::<Tensor>((&grad,))?.deep_clone()?,))?;
    Ok((needs_grad_x.then_some(columns), parts_grad, bias.map(|_| grad_output0.clone())))
}

/// `x * the tally's count`; the backward takes the count that it finds.
#[torch_op(name = "test_ops::times_count", cpu)]
fn times_count(tally: &Tally, x: &Tensor) -> Result<Tensor> {
    x.mul_scalar(tally.count as f64)
}

#[torch_op(fake_of = times_count)]
fn times_count_fake(_tally: &Tally, x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = times_count)]
fn times_count_backward(grad_output: &Tensor, tally: &Tally) -> Result<Tensor> {
    grad_output.mul_scalar(tally.count as f64)
}

/// `x * factor`, whose backward fails.
#[torch_op(schema = "test_ops::scale_and_fail(__torch__.torch.classes.test_ops.Scale scale, Tensor x) -> Tensor", cpu, fake = like(x))]
fn scale_and_fail(scale: &Scale, x: &Tensor) -> Result<Tensor> {
    scale.forward(x)
}

#[torch_op(backward_of = scale_and_fail)]
fn scale_and_fail_backward(_grad_output: &Tensor, _scale: &Scale) -> Result<Tensor> {
    Err(Error::value("told to fail"))
}
