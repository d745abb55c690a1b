//! The elements of a tensor, typed and checked.

mod element;
mod explain;
mod float8;
mod memory;
mod slice;
mod view;

pub use element::TensorElement;
pub use float8::{Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu};
pub use memory::Elements;
pub(crate) use memory::{clash, parts};
pub use slice::{Slice, SliceMut};
pub use view::{View, ViewMut};

use super::Tensor;
use crate::error::Result;
use ndarray::{Dim, Dimension, Ix};

impl Tensor {
    /// The elements, for reading, as an n-dimensional array that follows the tensor's strides.
    ///
    /// Dereferences to [`ndarray::ArrayRef`]. Other views of the same memory may be read at the same time; a writable one, or
    /// an operator that writes to the memory, is an error while this one lives.
    ///
    /// ```no_run
    /// use torchop_runtime::{Result, Tensor};
    ///
    /// fn total(x: &Tensor) -> Result<f64> {
    ///     Ok(x.view::<f32>()?.iter().map(|value| f64::from(*value)).sum())
    /// }
    /// ```
    ///
    /// # Errors
    /// `TypeError` if the elements are no `T`. `ValueError` if they are not in the CPU's memory (another device, a meta or
    /// fake tensor), not strided (sparse), lazily conjugated or negated, not aligned for `T`, or, for `bool`, not all 0 or 1.
    /// `RuntimeError` if somebody writes to the memory, or if autograd would lose sight of the tensor (outside of kernels).
    #[track_caller]
    pub fn view<T: TensorElement>(&self) -> Result<View<'_, T>> {
        View::dynamic(self)
    }

    /// [`Tensor::view`] with `N` dimensions, known to the compiler: indexing is cheaper.
    ///
    /// # Errors
    /// As [`Tensor::view`]; `ValueError` if the tensor has another number of dimensions.
    #[track_caller]
    pub fn view_nd<T: TensorElement, const N: usize>(&self) -> Result<View<'_, T, Dim<[Ix; N]>>>
    where
        Dim<[Ix; N]>: Dimension,
    {
        View::fixed(self)
    }

    /// The elements, for writing, as an n-dimensional array that follows the tensor's strides.
    ///
    /// Dereferences to [`ndarray::ArrayRef`]. Other tensors may share the memory: while this view lives, any other view of it,
    /// and any operator on it, is an error.
    ///
    /// # Errors
    /// As [`Tensor::view`]; `ValueError` if elements share memory, as after `expand`; `RuntimeError` if somebody reads the
    /// memory.
    #[track_caller]
    pub fn view_mut<T: TensorElement>(&mut self) -> Result<ViewMut<'_, T>> {
        ViewMut::dynamic(self)
    }

    /// [`Tensor::view_mut`] with `N` dimensions, known to the compiler.
    ///
    /// # Errors
    /// As [`Tensor::view_mut`]; `ValueError` if the tensor has another number of dimensions.
    #[track_caller]
    pub fn view_mut_nd<T: TensorElement, const N: usize>(&mut self) -> Result<ViewMut<'_, T, Dim<[Ix; N]>>>
    where
        Dim<[Ix; N]>: Dimension,
    {
        ViewMut::fixed(self)
    }

    /// The elements of a contiguous tensor, for reading, as a slice in row-major order.
    ///
    /// # Errors
    /// As [`Tensor::view`]; `ValueError` if the tensor is not contiguous.
    #[track_caller]
    pub fn as_slice<T: TensorElement>(&self) -> Result<Slice<'_, T>> {
        Slice::new(self)
    }

    /// The elements of a contiguous tensor, for writing, as a slice in row-major order.
    ///
    /// # Errors
    /// As [`Tensor::view_mut`]; `ValueError` if the tensor is not contiguous.
    #[track_caller]
    pub fn as_slice_mut<T: TensorElement>(&mut self) -> Result<SliceMut<'_, T>> {
        SliceMut::new(self)
    }
}
