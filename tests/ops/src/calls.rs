//! Operators that call operators: torch's own, and ones that Python implements.

use torchop::__private0::{Op, OpDef, OpHandle, PutAll, Returned, SchemaType, call};
use torchop::prelude::*;

/// A way to torch's own operators that torchop has no method for: a definition that is not registered, only called.
macro_rules! torch_ops {
    ($($ty:ident = $name:literal $overload:literal;)*) => {$(
        pub struct $ty;
        impl Op for $ty {
            const DEF: &'static OpDef = {
                static DEF: OpDef = OpDef {
                    name: $name,
                    overload: $overload,
                    schema: "",
                    arguments: &[],
                    tensor_arguments: &[],
                    returns: 1,
                    tags: &[],
                    location: torchop::__private0::Location { file: file!(), line: line!() },
                    handle: OpHandle::new(),
                };
                &DEF
            };
            type Names = ();
            const NAMES: () = ();
            const COUNT: usize = 0;
            const TAKES: &'static str = "";
            const RETURNS: &'static [SchemaType] = &[];
            const RETURN_TEXT: &'static str = "";
            const TENSOR_ARGUMENTS: &'static [u16] = &[];
            const GRADIENTS: usize = 0;
            const GIVES: &'static str = "";
        }
    )*};
}

torch_ops! {
    Ones = "aten::ones" "";
    OnesLike = "aten::ones_like" "";
    Mm = "aten::mm" "";
    Item = "aten::item" "";
    RequiresGrad = "aten::requires_grad_" "";
    Backward = "aten::_backward" "";
    SumDims = "aten::sum" "dim_IntList";
    Missing = "aten::no_such_operator" "";
}

/// Calls one of them.
pub fn torch<O: Op, R: Returned>(arguments: impl PutAll) -> R::Called {
    call::<O, _, R>(arguments)
}

const NONE: Option<i64> = None;

pub fn ones(sizes: &[i64]) -> Result<Tensor> {
    torch::<Ones, Tensor>((sizes, NONE, NONE, NONE, NONE))
}

pub fn ones_like(x: &Tensor) -> Result<Tensor> {
    torch::<OnesLike, Tensor>((x, NONE, NONE, NONE, NONE, NONE))
}

/// The sum over the first dimension.
pub fn sum_first(x: &Tensor) -> Result<Tensor> {
    torch::<SumDims, Tensor>((x, &[0_i64][..], false, NONE))
}

/// `x @ y` by torch's own operator, which autocast would change.
#[torch_op(schema = "test_ops::matmul(Tensor x, Tensor y) -> Tensor", cpu)]
fn matmul(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    torch::<Mm, Tensor>((x, y))
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
    torch::<Missing, Tensor>((x,))
}
