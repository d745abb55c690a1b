//! PyTorch operators and stateful classes in Rust, with two attributes.

pub use torchop_macros::{TorchEnum, TorchTuple, torch_class, torch_op};
pub use torchop_runtime::{
    Changing, Complex64, DType, Device, DeviceType, Dict, Dims, Element, Error, ErrorKind, FakeTensor, Generator, Item,
    Layout, List, MaybeSym, MemoryFormat, Options, Ref, Result, Scalar, Sizes, Slice, SliceMut, Stream, SymBool,
    SymFloat, SymInt, SymInts, Tensor, TensorElement, TensorRef, TorchOp, TorchRef, View, ViewMut, call,
};
pub use torchop_runtime::{
    Complex, Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu, bf16, dispatch,
    elementwise, f16, in_parallel, math, ndarray, num_threads, parallel_chunks, parallel_chunks_mut, parallel_for,
    parallel_outer, parallel_outer_mut, result_type, set_num_threads,
};

pub use torchop_runtime::{
    ModeGuard, default_dtype, enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, manual_seed,
    no_grad, set_default_dtype,
};

/// Checks of operators, for a crate's own tests.
pub use torchop_runtime::check_ops as check;

#[cfg(feature = "aoti")]
pub use torchop_aoti as aoti;
#[cfg(feature = "aten")]
pub use torchop_aten as aten;
#[cfg(feature = "aten")]
pub use torchop_aten::if_torch;
#[cfg(feature = "dlpack")]
pub use torchop_dlpack as dlpack;
#[cfg(feature = "cuda")]
pub use torchop_runtime::{cuda, cuda_kernels};

/// For generated code. The name carries the version, so that macros and runtime of different versions do not meet.
#[doc(hidden)]
pub use torchop_runtime::__private as __private0;

/// What an operator crate needs by `use torchop::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Complex64, DType, Device, DeviceType, Dict, Error, ErrorKind, FakeTensor, Generator, Layout, List,
        MemoryFormat, Options, Result, Scalar, Stream, SymBool, SymFloat, SymInt, Tensor, TorchEnum, TorchOp, TorchRef,
        TorchTuple, bf16, dispatch, f16, torch_class, torch_op,
    };
}
