//! Operators and methods whose names differ in a `.` alone: what is hidden behind them has names of its own.

use super::classes::Scale;
use torchop::prelude::*;

static NONZERO: TorchOp = TorchOp::new("aten::nonzero", "");

/// The positions of what is not zero.
#[torch_op(schema = "test_ops::where_is.set(Tensor x) -> Tensor", cpu)]
fn where_is_set_overload(x: &Tensor) -> Result<Tensor> {
    NONZERO.call::<Tensor>((x,))
}

#[torch_op(fake_of = where_is_set_overload)]
fn where_is_set_overload_fake(x: &FakeTensor, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> {
    x.new_empty_strided_with_dtype(&[rows.clone(), x.dim()?.into()], &[1.into(), rows], DType::Int64)
}

/// The same, the other way round.
#[torch_op(schema = "test_ops::where_is_set(Tensor x) -> Tensor", cpu)]
fn where_is_set(x: &Tensor) -> Result<Tensor> {
    where_is_set_overload(x)?.transpose(0, 1)
}

#[torch_op(fake_of = where_is_set)]
fn where_is_set_fake(x: &FakeTensor, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> {
    x.new_empty_with_dtype(&[x.dim()?.into(), rows], DType::Int64)
}

/// `x * the scale's factor`
#[torch_op(schema = "test_ops::scale.up(__torch__.torch.classes.test_ops.Scale by, Tensor x) -> Tensor", cpu)]
fn scale_up_overload(by: &Scale, x: &Tensor) -> Result<Tensor> {
    x.mul_scalar(by.factor)
}

#[torch_op(fake_of = scale_up_overload)]
fn scale_up_overload_fake(_by: &Scale, x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = scale_up_overload)]
fn scale_up_overload_backward(grad_output: &Tensor, by: &Scale) -> Result<Tensor> {
    grad_output.mul_scalar(by.factor)
}

/// `x * 2 * the scale's factor`, with a dimension before the others.
#[torch_op(schema = "test_ops::scale_up(__torch__.torch.classes.test_ops.Scale by, Tensor x) -> Tensor", cpu)]
fn scale_up(by: &Scale, x: &Tensor) -> Result<Tensor> {
    x.mul_scalar(2.0 * by.factor)?.unsqueeze(0)
}

#[torch_op(fake_of = scale_up)]
fn scale_up_fake(_by: &Scale, x: &FakeTensor) -> Result<FakeTensor> {
    let sizes: Vec<SymInt> = std::iter::once(1.into()).chain(x.sym_sizes()?).collect();
    x.new_empty(&sizes)
}

#[torch_op(backward_of = scale_up)]
fn scale_up_backward(grad_output: &Tensor, by: &Scale) -> Result<Tensor> {
    grad_output.mul_scalar(2.0 * by.factor)?.select(0, 0)
}

#[torch_class(name = "test_ops::Named", flatten)]
struct Named {
    factor: f64,
}

#[torch_class]
impl Named {
    #[init]
    fn new(factor: f64) -> Self {
        Named { factor }
    }

    fn by_two(&self, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(self.factor)
    }

    #[fake(by_two)]
    fn by_two_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

#[torch_class(name = "test_ops::Named_by", flatten)]
struct NamedBy {
    factor: f64,
}

#[torch_class]
impl NamedBy {
    #[init]
    fn new(factor: f64) -> Self {
        NamedBy { factor }
    }

    fn two(&self, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(self.factor)?.unsqueeze(0)
    }

    #[fake(two)]
    fn two_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        let sizes: Vec<SymInt> = std::iter::once(1.into()).chain(x.sym_sizes()?).collect();
        x.new_empty(&sizes)
    }
}
