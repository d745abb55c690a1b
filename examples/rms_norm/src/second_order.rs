//! The gradient of the gradient, by torch's operators: differentiable in turn.
//!
//! With `n` the normalised row, `h = grad_output * weight`, `J v = rstd * (v - n * mean(n * v))`, the gradients are `J h` and the
//! sum over rows of `grad_output * n`. `J` is symmetric. `a` and `b` are the gradients of these two.

use crate::{computed_in, epsilon, rms_norm_backward};
use torchop::prelude::*;

static MEAN: TorchOp = TorchOp::new("aten::mean", "dim");
static SUM: TorchOp = TorchOp::new("aten::sum", "dim_IntList");
static RSQRT: TorchOp = TorchOp::new("aten::rsqrt", "");
static ADD: TorchOp = TorchOp::new("aten::add", "Scalar");
static SUB: TorchOp = TorchOp::new("aten::sub", "Tensor");

fn sub(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    SUB.call::<Tensor>((x, y, 1_i64))
}

/// The mean of `x * y` over the last dimension.
fn mean(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    MEAN.call::<Tensor>((&x.mul(y)?, &[-1_i64][..], true, None::<DType>))
}

#[torch_op(backward_of = rms_norm_backward, gradients(grad_output, input, weight))]
fn rms_norm_second_order(
    grad_output0: &Tensor,
    grad_output1: &Tensor,
    grad_output: &Tensor,
    input: &Tensor,
    weight: Option<&Tensor>,
    eps: Option<f64>,
    needs_grad_weight: bool,
) -> Result<(Tensor, Tensor, Option<Tensor>)> {
    let (dtype, given) = (computed_in(input.dtype()?), (grad_output.dtype()?, input.dtype()?));
    let (a, g, x) = (grad_output0.to(dtype)?, grad_output.to(dtype)?, input.to(dtype)?);
    // Not the one that was saved, which is no function of the input to autograd: for the third derivative.
    let root = RSQRT.call::<Tensor>((&ADD.call::<Tensor>((&mean(&x, &x)?, epsilon(eps, input.dtype()?), 1_i64))?,))?;
    let n = x.mul(&root)?;
    let w = weight.map(|weight| weight.to(dtype)).transpose()?;
    let h = w.as_ref().map_or_else(|| Ok(g.clone()), |w| g.mul(w))?;
    let project = |v: &Tensor| sub(v, &n.mul(&mean(&n, v)?)?)?.mul(&root);

    let (an, hn, ja) = (mean(&a, &n)?, mean(&h, &n)?, project(&a)?);
    let mut grad_grad = w.as_ref().map_or_else(|| Ok(ja.clone()), |w| ja.mul(w))?;
    let curvature = sub(&an.mul(&hn)?.mul_scalar(3.0)?, &mean(&a, &h)?)?.mul(&n)?;
    let curvature = sub(&sub(&curvature, &a.mul(&hn)?)?, &h.mul(&an)?)?;
    let mut grad_input = curvature.mul(&root)?.mul(&root)?;
    if needs_grad_weight && weight.is_some() {
        let b = grad_output1.to(dtype)?;
        grad_grad = grad_grad.add(&n.mul(&b)?)?;
        grad_input = grad_input.add(&project(&g.mul(&b)?)?)?;
    }
    let grad_weight = weight.map(|weight| -> Result<Tensor> {
        let rows: Vec<i64> = (0..input.dim()? - 1).collect();
        let each = g.mul(&ja)?;
        let sum = if rows.is_empty() { each } else { SUM.call::<Tensor>((&each, &rows[..], false, None::<DType>))? };
        sum.to(weight.dtype()?)
    });
    Ok((grad_grad.to(given.0)?, grad_input.to(given.1)?, grad_weight.transpose()?))
}
