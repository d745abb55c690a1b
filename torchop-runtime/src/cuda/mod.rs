//! CUDA kernels, launched from Rust on torch's current stream. Behind the feature `cuda`.
//!
//! Nothing of CUDA is needed when a library is built, and nothing is touched when it is loaded: the driver is opened at the
//! first launch, NVRTC at the first compilation. A kernel is declared by [`cuda_kernels!`](crate::cuda_kernels), which is also
//! where its safety is promised, and launched by [`Kernel::launch`].
//!
//! While a kernel for the `CUDA` key runs, the device of its first CUDA tensor is the current one; it is the one before
//! afterwards, also after an error or panic. Memory comes from torch: results by [`Tensor::new_empty_strided`](crate::Tensor::new_empty_strided)
//! and scratch by [`scratch`].
//!
//! Compiled kernels are kept in `TORCHOP_CACHE_DIR` (`~/.cache/torchop` unless said; empty for nowhere). `TORCHOP_NVRTC` names
//! a libnvrtc to take instead of the one beside torch.

mod compile_all;
mod declare;
mod definition;
mod disk;
mod driver;
mod geometry;
mod grid;
mod instance;
mod kernel;
mod nvrtc;
mod parameter;
mod stream;
mod toolkit;

pub use compile_all::{compile_all, nvrtc_version};
#[doc(hidden)]
pub use definition::{CUDA_KERNELS, Choice, Code, KernelDef};
pub use geometry::Geometry;
pub use grid::Grid;
pub use kernel::Kernel;
#[doc(hidden)]
pub use parameter::Packed;
pub use parameter::{Any, BF16, Elements, F16, In, InView, Out, OutView, Parameter, Parameters};
pub use stream::{current_stream, on_stream, record_stream};

use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::Tensor;

/// Uninitialised memory from torch's allocator on the device of `like`: a contiguous tensor, given back when it is dropped. It
/// belongs to torch's current stream: what was launched there may still use it then.
///
/// # Errors
/// What torch raises, `OutOfMemoryError` among it.
pub fn scratch(like: &Tensor, dtype: DType, sizes: &[i64]) -> Result<Tensor> {
    let mut strides: smallvec::SmallVec<[i64; 6]> = smallvec::SmallVec::from_elem(1, sizes.len());
    for dim in (1..sizes.len()).rev() {
        strides[dim - 1] = strides[dim] * sizes[dim].max(1);
    }
    like.new_empty_strided_of(sizes, &strides, Some(dtype))
}
