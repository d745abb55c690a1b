//! Where operators can stand, and how their names reach other modules.

#![forbid(unsafe_code)]
#![deny(warnings)]

use torchop::prelude::*;

mod ops {
    pub(crate) mod unary {
        use torchop::prelude::*;

        #[torch_op(schema = "my_ops::inner(Tensor x) -> Tensor", cpu)]
        pub(crate) fn inner(x: &Tensor) -> Result<Tensor> {
            x.empty_like()
        }

        #[torch_op(schema = "my_ops::restricted(Tensor x) -> Tensor", cpu)]
        pub(in crate::ops) fn restricted(x: &Tensor) -> Result<Tensor> {
            x.empty_like()
        }
    }

    pub(crate) use unary::inner;

    #[torch_op(kernel_of = unary::restricted, cuda)]
    fn restricted_cuda(x: &torchop::Tensor) -> torchop::Result<torchop::Tensor> {
        x.empty_like()
    }

    use torchop::torch_op;
}

// By absolute path, by a re-export, under another name, through a glob.
#[torch_op(kernel_of = crate::ops::unary::inner, cuda)]
fn inner_cuda(x: &Tensor) -> Result<Tensor> {
    ops::inner(x)
}

use ops::inner as renamed;

#[torch_op(backward_of = renamed)]
fn inner_backward(grad_output: &Tensor) -> Result<Tensor> {
    renamed::kernel(grad_output)
}

mod glob {
    use super::ops::unary::*;
    use torchop::prelude::*;

    #[torch_op(fake_of = inner)]
    fn inner_fake(x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

// In a function's body, with types of its own.
fn body() {
    type Local = Tensor;

    #[torch_op(schema = "my_ops::in_body(Tensor x) -> Tensor", cpu)]
    fn in_body(x: &Local) -> Result<Local> {
        x.empty_like()
    }

    let _ = in_body;
}

// A keyword as a name, and a name that a type has.
#[torch_op(schema = "my_ops::type(Tensor x) -> Tensor", cpu)]
fn r#type(x: &Tensor) -> Result<Tensor> {
    x.empty_like()
}

#[torch_op(fake_of = r#type)]
fn type_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(schema = "my_ops::bool(Tensor x) -> bool", cpu, handle = BoolOp)]
fn bool(x: &Tensor) -> Result<bool> {
    let _ = x;
    Ok(true)
}

#[torch_op(kernel_of = BoolOp, cuda)]
fn bool_cuda(x: &Tensor) -> Result<bool> {
    BoolOp::kernel(x)
}

// Made by a macro.
macro_rules! unary {
    ($name:ident, $schema:literal, $ty:ty) => {
        #[torch_op(schema = $schema, cpu)]
        fn $name(x: &$ty) -> Result<$ty> {
            x.empty_like()
        }
    };
}

unary!(unary_a, "my_ops::unary_a(Tensor x) -> Tensor", Tensor);
unary!(unary_b, "my_ops::unary_b(Tensor x) -> Tensor", Tensor);

macro_rules! on_cuda {
    ($op:path, $name:ident) => {
        #[torch_op(kernel_of = $op, cuda)]
        fn $name(x: &Tensor) -> Result<Tensor> {
            $crate::unary_a(x)
        }
    };
}

on_cuda!(unary_a, unary_a_cuda);
on_cuda!(crate::unary_b, unary_b_cuda);

macro_rules! at_crate {
    () => {
        #[torch_op(fake_of = $crate::unary_a)]
        fn unary_a_fake(x: &$crate::FakeTensor) -> Result<FakeTensor> {
            x.empty_like()
        }
    };
}

at_crate!();

// One function for two operators.
#[torch_op(kernel_of = unary_a, XPU)]
#[torch_op(kernel_of = unary_b, XPU)]
fn shared(x: &Tensor) -> Result<Tensor> {
    x.empty_like()
}

// Conditional.
#[cfg(any())]
#[torch_op(schema = "my_ops::absent(Absent x) -> Tensor", cpu)]
fn absent(x: &Absent) -> Result<Tensor> {}

#[torch_op(schema = "my_ops::absent_below(Tensor x) -> Tensor", cpu)]
#[cfg(any())]
fn absent_below(x: &Absent) -> Result<Tensor> {}

#[torch_op(schema = "my_ops::absent_attr(Tensor x) -> Tensor", cpu)]
#[cfg_attr(all(), cfg(any()))]
fn absent_attr(x: &Absent) -> Result<Tensor> {}

// Another path to torchop.
mod framework {
    pub(crate) mod reexport {
        pub(crate) use torchop::*;
    }
}

#[torch_op(schema = "my_ops::elsewhere(Tensor x) -> Tensor", cpu, crate = crate::framework::reexport)]
fn elsewhere(x: &Tensor) -> Result<Tensor> {
    x.empty_like()
}

#[torch_class(name = "my_ops::Elsewhere", crate = crate::framework::reexport, flatten)]
struct Elsewhere {
    #[cfg(any())]
    absent: Absent,
    present: Option<Vec<String>>,
}

#[torch_class(crate = framework::reexport)]
impl Elsewhere {
    fn get(&self) -> bool {
        self.present.is_some()
    }

    #[fake(get)]
    fn get_fake(&self) -> bool {
        self.get()
    }
}

// Deprecation and the like are for those who call.
#[deprecated]
#[torch_op(schema = "my_ops::old(Tensor x) -> Tensor", cpu)]
#[must_use]
fn old(x: &Tensor) -> Result<Tensor> {
    x.empty_like()
}

fn main() {
    body();
}
