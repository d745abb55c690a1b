//! PyTorch operators and stateful classes in Rust, with two attributes.

pub use torchop_macros::{TorchEnum, TorchTuple, torch_class, torch_op};
pub use torchop_runtime::{
    Changing, Complex64, DType, Device, DeviceType, Dict, Element, Error, ErrorKind, FakeTensor, Generator, Layout,
    List, MemoryFormat, Ref, Result, Scalar, Sizes, Stream, SymInt, Tensor, TorchOp, TorchRef,
};

/// For generated code. The name carries the version, so that macros and runtime of different versions do not meet.
#[doc(hidden)]
pub use torchop_runtime::__private as __private0;

/// What an operator crate needs by `use torchop::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Complex64, DType, Device, DeviceType, Dict, Error, ErrorKind, FakeTensor, Generator, Layout, List,
        MemoryFormat, Result, Scalar, Stream, SymInt, Tensor, TorchEnum, TorchOp, TorchRef, TorchTuple, torch_class,
        torch_op,
    };
}
