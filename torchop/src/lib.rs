//! PyTorch operators and stateful classes in Rust, with two attributes.

pub use torchop_macros::{torch_class, torch_op};
pub use torchop_runtime::{
    DType, Device, DeviceType, Element, Error, ErrorKind, FakeTensor, List, Result, Sizes, SymInt, Tensor,
};

/// For generated code. The name carries the version, so that macros and runtime of different versions do not meet.
#[doc(hidden)]
pub use torchop_runtime::__private as __private0;

/// What an operator crate needs by `use torchop::prelude::*;`.
pub mod prelude {
    pub use crate::{
        DType, Device, DeviceType, Error, ErrorKind, FakeTensor, List, Result, SymInt, Tensor, torch_class, torch_op,
    };
}
