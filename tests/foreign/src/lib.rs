//! Kernels for operators that others define: torch itself, and `tests/python/test_foreign.py`.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

use torchop::elementwise;
use torchop::prelude::*;

static MUL: TorchOp = TorchOp::new("aten::mul", "Scalar");
static TO_DENSE: TorchOp = TorchOp::new("aten::to_dense", "");

/// Torch has kernels of it for dense memory.
#[torch_op(schema = "aten::digamma(Tensor self) -> Tensor", foreign, SparseCPU)]
fn digamma(self_: &Tensor) -> Result<Tensor> {
    const NONE: Option<DType> = None;
    digamma(&TO_DENSE.call::<Tensor>((self_, NONE, None::<bool>))?)
}

#[torch_op(schema = "test_foreign::scale(Tensor x, float by=2., *, int[2]? size=None) -> Tensor", foreign, cpu)]
fn scale(x: &Tensor, by: f64, _size: Option<[i64; 2]>) -> Result<Tensor> {
    MUL.call::<Tensor>((x, Scalar::Float(by)))
}

/// What is added to an operator that has nothing.
#[torch_op(schema = "test_foreign::cube(Tensor x) -> Tensor", foreign, cpu)]
fn cube(x: &Tensor) -> Result<Tensor> {
    elementwise([x], |x: f64| x * x * x)
}

#[torch_op(fake_of = cube)]
fn cube_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = cube)]
fn cube_backward(grad_output: &Tensor, x: &Tensor) -> Result<Tensor> {
    static PRODUCT: TorchOp = TorchOp::new("aten::mul", "Tensor");
    let square: Tensor = PRODUCT.call::<Tensor>((x, x))?;
    MUL.call::<Tensor>((&PRODUCT.call::<Tensor>((grad_output, &square))?, Scalar::Float(3.0)))
}

/// Writes: its library counts versions.
#[torch_op(name = "test_foreign::add_one_", foreign, cpu)]
fn add_one_(x: &mut Tensor) -> Result<()> {
    for value in x.as_slice_mut::<f64>()?.iter_mut() {
        *value += 1.0;
    }
    Ok(())
}
