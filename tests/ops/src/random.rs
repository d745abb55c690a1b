//! Operators with random numbers.

use torchop::prelude::*;

static RAND: TorchOp = TorchOp::new("aten::rand", "generator");
static GE: TorchOp = TorchOp::new("aten::ge", "Scalar");
static MASK: TorchOp = TorchOp::new("aten::mul", "Tensor");
const NONE: Option<i64> = None;

/// `x` with a share `p` of its elements set to zero, the others larger by as much; and which are left.
#[torch_op(
    schema = "test_ops::dropout(Tensor x, float p, *, Generator? generator=None) -> (Tensor, Tensor kept)",
    cpu,
    tags(nondeterministic_seeded),
    nondifferentiable(kept)
)]
fn dropout(x: &Tensor, p: f64, generator: Option<Generator>) -> Result<(Tensor, Tensor)> {
    let drawn = RAND.call::<Tensor>((&x.sizes()?[..], generator, NONE, NONE, NONE, NONE))?;
    let kept = GE.call::<Tensor>((&drawn, Scalar::Float(p)))?;
    Ok((MASK.call::<Tensor>((x, &kept))?.mul_scalar(1.0 / (1.0 - p))?, kept))
}

#[torch_op(fake_of = dropout)]
fn dropout_fake(x: &FakeTensor, _p: f64, _generator: Option<Generator>) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.new_empty_with_dtype(&x.sym_sizes()?, DType::Bool)?))
}

#[torch_op(backward_of = dropout)]
fn dropout_backward(grad_output0: &Tensor, kept: &Tensor, p: f64) -> Result<Tensor> {
    MASK.call::<Tensor>((grad_output0, kept))?.mul_scalar(1.0 / (1.0 - p))
}

/// `x` times a number that the operator draws itself, from torch's generator for the CPU or the given one.
#[torch_op(
    schema = "test_ops::own_draw(Tensor x, *, Generator? generator=None) -> Tensor",
    cpu,
    tags(nondeterministic_seeded)
)]
fn own_draw(x: &Tensor, generator: Option<Generator>) -> Result<Tensor> {
    let generator = generator.map_or_else(Generator::default_cpu, Ok)?;
    x.mul_scalar((generator.next_u64()? >> 11) as f64 / (1_u64 << 53) as f64)
}

#[torch_op(fake_of = own_draw)]
fn own_draw_fake(x: &FakeTensor, _generator: Option<Generator>) -> Result<FakeTensor> {
    x.empty_like()
}
