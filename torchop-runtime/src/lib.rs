//! The runtime behind torchop: tensors, values, conversions, kernels, classes, registration at load, errors.
//!
//! Users add the crate `torchop`, which re-exports what they need from here. `__private` is for generated code.

mod check;
mod class;
mod convert;
mod device;
mod dtype;
mod error;
mod fake_tensor;
mod generator;
mod layout;
mod load;
mod op;
mod python;
mod quiet;
mod registration;
mod scalar;
mod sizes;
mod stream;
mod sym_int;
mod tensor;

#[doc(hidden)]
pub mod __private;

pub use class::{Changing, Ref, TorchRef};
pub use convert::{Dict, Element, List};
pub use device::{Device, DeviceType};
pub use dtype::DType;
pub use error::{Error, ErrorKind, Result};
pub use fake_tensor::FakeTensor;
pub use generator::Generator;
pub use layout::{Layout, MemoryFormat};
pub use num_complex::Complex64;
pub use op::TorchOp;
pub use scalar::Scalar;
pub use sizes::Sizes;
pub use stream::Stream;
pub use sym_int::SymInt;
pub use tensor::Tensor;
