//! Operators that say how sharded tensors go through them.

use torchop::prelude::*;

static SIGMOID: TorchOp = TorchOp::new("aten::sigmoid", "");
static SUM_TO: TorchOp = TorchOp::new("aten::sum_to_size", "");
static SUB: TorchOp = TorchOp::new("aten::sub", "Tensor");

/// `x³`, whose gradient is an operator that looks at numbers, and is sharded as well.
#[torch_op(schema = "test_sharding::cube(Tensor x) -> Tensor", cpu, sharding = pointwise, fake = like(x))]
fn cube(x: &Tensor) -> Result<Tensor> {
    x.mul(x)?.mul(x)
}

#[torch_op(backward_of = cube, name = "test_sharding::cube_backward", cpu, sharding = pointwise, fake = like(x))]
fn cube_backward(grad_output: &Tensor, x: &Tensor) -> Result<Tensor> {
    crate::autograd::same_sizes(grad_output, x)?;
    dispatch!(x.dtype()?, [f32, f64], T => torchop::elementwise([grad_output, x], |g: T, x: T| 3.0 * g * x * x))
}

/// `x * sigmoid(beta * x) * y`, or the negative; the two are broadcast.
#[torch_op(
    schema = "test_sharding::swish_mul(Tensor x, Tensor y, float beta=1.0, *, bool negate=False) -> Tensor",
    cpu,
    sharding = pointwise
)]
fn swish_mul(x: &Tensor, y: &Tensor, beta: f64, negate: bool) -> Result<Tensor> {
    let sigmoid = SIGMOID.call::<Tensor>((&x.mul_scalar(beta)?,))?;
    x.mul(&sigmoid)?.mul(y)?.mul_scalar(if negate { -1.0 } else { 1.0 })
}

#[torch_op(fake_of = swish_mul)]
fn swish_mul_fake(x: &FakeTensor, y: &FakeTensor, _beta: f64, _negate: bool) -> Result<FakeTensor> {
    let (mut sizes, other) = (x.sym_sizes()?, y.sym_sizes()?);
    while sizes.len() < other.len() {
        sizes.insert(0, SymInt::from(1));
    }
    let first = sizes.len() - other.len();
    for (size, other) in sizes[first..].iter_mut().zip(other) {
        if size.sym_eq(1)?.or_false()? {
            *size = other;
        }
    }
    x.new_empty(&sizes)
}

/// The gradient of what was broadcast is summed, by torch's operators: these know what sharded tensors are.
#[torch_op(backward_of = swish_mul)]
fn swish_mul_backward(
    grad_output: &Tensor,
    x: &Tensor,
    y: &Tensor,
    beta: f64,
    negate: bool,
) -> Result<(Tensor, Tensor)> {
    let grad = grad_output.mul_scalar(if negate { -1.0 } else { 1.0 })?;
    let sigmoid = SIGMOID.call::<Tensor>((&x.mul_scalar(beta)?,))?;
    let swish = x.mul(&sigmoid)?;
    // sigmoid + beta * swish * (1 - sigmoid)
    let rest = SUB.call::<Tensor>((&swish, &swish.mul(&sigmoid)?, 1_i64))?;
    let slope = sigmoid.add(&rest.mul_scalar(beta)?)?;
    Ok((sum_to(&grad.mul(y)?.mul(&slope)?, x)?, sum_to(&grad.mul(&swish)?, y)?))
}

fn sum_to(grad: &Tensor, like: &Tensor) -> Result<Tensor> {
    SUM_TO.call::<Tensor>((grad, like.sym_sizes()?))
}

#[torch_op(
    schema = "test_sharding::total(Tensor[] xs, Tensor? other=None) -> Tensor",
    cpu,
    sharding = pointwise,
    nondifferentiable
)]
fn total(xs: Vec<&Tensor>, other: Option<&Tensor>) -> Result<Tensor> {
    let mut all = xs.into_iter().chain(other);
    let first = all.next().ok_or_else(|| Error::value("the total of nothing"))?.deep_clone()?;
    all.try_fold(first, |sum, x| sum.add(x))
}

#[torch_op(fake_of = total)]
fn total_fake(xs: Vec<&FakeTensor>, other: Option<&FakeTensor>) -> Result<FakeTensor> {
    let mut all = xs.into_iter().chain(other);
    let first = all.next().ok_or_else(|| Error::value("the total of nothing"))?;
    // The widest first: the tests broadcast to it.
    first.new_empty(&first.sym_sizes()?)
}

#[torch_op(schema = "test_sharding::plus_minus(Tensor x, Tensor y) -> (Tensor, Tensor)", cpu, sharding = pointwise, nondifferentiable)]
fn plus_minus(x: &Tensor, y: &Tensor) -> Result<(Tensor, Tensor)> {
    crate::autograd::same_sizes(x, y)?;
    Ok((x.add(y)?, SUB.call::<Tensor>((x, y, 1_i64))?))
}

#[torch_op(fake_of = plus_minus)]
fn plus_minus_fake(x: &FakeTensor, _y: &FakeTensor) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?))
}

/// The dtype of the result is an argument.
#[torch_op(schema = "test_sharding::cast(Tensor x, ScalarType dtype) -> Tensor", cpu, sharding = pointwise, nondifferentiable)]
fn cast(x: &Tensor, dtype: DType) -> Result<Tensor> {
    x.deep_clone()?.to(dtype)
}

#[torch_op(fake_of = cast)]
fn cast_fake(x: &FakeTensor, dtype: DType) -> Result<FakeTensor> {
    x.empty_like_with_dtype(dtype)
}

#[torch_op(schema = "test_sharding::unsaid(Tensor x) -> Tensor", cpu, fake = like(x), nondifferentiable)]
fn unsaid(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}
