//! The runtime behind torchop: tensors, values, conversions, kernels, classes, registration at load, errors.
//!
//! Users add the crate `torchop`, which re-exports what they need from here. `__private` is for generated code.

mod borrow;
mod check;
mod class;
mod convert;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
mod dtype;
mod elementwise;
mod error;
mod fake_check;
mod fake_tensor;
mod generator;
mod hidden;
#[doc(hidden)]
pub mod host;
mod layout;
mod load;
pub mod math;
mod modes;
mod op;
mod parallel;
mod python;
mod quiet;
mod registration;
mod scalar;
mod sizes;
mod stream;
mod sym_bool;
mod sym_float;
mod sym_int;
mod sym_ints;
mod tell;
mod tensor;

#[doc(hidden)]
pub mod __private;

pub use class::{Changing, Ref, TorchRef};
/// Checks of operators, for tests.
pub mod check_ops {
    pub use crate::fake_check::fake_agrees;
}

pub use convert::{Dict, Element, List};
pub use device::{Device, DeviceType};
pub use dtype::DType;
pub use elementwise::{ElementFn, ElementTypes, elementwise, result_type};
pub use error::{Error, ErrorKind, Result};
pub use fake_tensor::FakeTensor;
pub use generator::Generator;
pub use half::{bf16, f16};
pub use layout::{Layout, MemoryFormat};
pub use modes::{
    ModeGuard, default_dtype, enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, manual_seed,
    no_grad, set_default_dtype,
};
pub use ndarray;
pub use num_complex::Complex64;
pub use num_complex::{self, Complex};
pub use op::TorchOp;
pub use op::aten::TensorRef;
pub use parallel::{
    in_parallel, num_threads, parallel_chunks, parallel_chunks_mut, parallel_for, parallel_outer, parallel_outer_mut,
    set_num_threads,
};
pub use scalar::Scalar;
pub use sizes::Sizes;
pub use stream::Stream;
pub use sym_bool::SymBool;
pub use sym_float::SymFloat;
pub use sym_int::SymInt;
pub use sym_ints::{MaybeSym, SymInts};
pub use tensor::{
    Dims, Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu, Item, Options,
    Slice, SliceMut, Tensor, TensorElement, View, ViewMut,
};
