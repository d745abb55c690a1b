//! Operators that call operators: torch's own, and ones that Python implements.

use torchop::prelude::*;

static ONES: TorchOp = TorchOp::new("aten::ones", "");
static ONES_LIKE: TorchOp = TorchOp::new("aten::ones_like", "");
static MM: TorchOp = TorchOp::new("aten::mm", "");
static SUM_DIMS: TorchOp = TorchOp::new("aten::sum", "dim_IntList");
static MISSING: TorchOp = TorchOp::new("aten::no_such_operator", "");

const NONE: Option<i64> = None;

pub fn ones(sizes: &[i64]) -> Result<Tensor> {
    ONES.call::<Tensor>((sizes, NONE, NONE, NONE, NONE))
}

pub fn ones_like(x: &Tensor) -> Result<Tensor> {
    ONES_LIKE.call::<Tensor>((x, NONE, NONE, NONE, NONE, NONE))
}

/// The sum over the first dimension.
pub fn sum_first(x: &Tensor) -> Result<Tensor> {
    SUM_DIMS.call::<Tensor>((x, &[0_i64][..], false, NONE))
}

/// `x @ y` by torch's own operator, which autocast would change.
#[torch_op(schema = "test_ops::matmul(Tensor x, Tensor y) -> Tensor", cpu)]
fn matmul(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    MM.call::<Tensor>((x, y))
}

#[torch_op(fake_of = matmul)]
fn matmul_fake(x: &FakeTensor, y: &FakeTensor) -> Result<FakeTensor> {
    x.new_empty(&[x.sym_size(0)?, y.sym_size(1)?])
}

/// The CPU kernel comes from Python.
#[torch_op(schema = "test_ops::in_python(Tensor x) -> Tensor", cuda)]
pub fn in_python(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(schema = "test_ops::calls_python(Tensor x) -> Tensor", cpu)]
fn calls_python(x: &Tensor) -> Result<Tensor> {
    in_python(x)
}

/// What the call failed with, as Rust sees it.
#[torch_op(schema = "test_ops::calls_python_and_tells(Tensor x) -> str", cpu)]
fn calls_python_and_tells(x: &Tensor) -> String {
    match in_python(x) {
        Ok(y) => format!("{y:?}"),
        Err(error) => format!("{:?}: {}", error.kind(), error.message()),
    }
}

#[torch_op(schema = "test_ops::calls_missing(Tensor x) -> Tensor", cpu)]
fn calls_missing(x: &Tensor) -> Result<Tensor> {
    MISSING.call::<Tensor>((x,))
}
