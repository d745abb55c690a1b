//! n-dimensional views.

use super::element::TensorElement;
use super::memory::Elements;
use crate::borrow::Lease;
use crate::error::Result;
use crate::tensor::Tensor;
use ndarray::{ArrayRef, ArrayView, ArrayViewMut, Dim, Dimension, Ix, IxDyn, ShapeBuilder, StrideShape};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// The elements of a tensor, for reading. See [`Tensor::view`].
///
/// Dereferences to [`ndarray::ArrayRef`], which has all that reads: indexing, `iter`, `slice`, `outer_iter`, `sum`, `view`, ….
/// The memory is borrowed until this value goes out of scope.
pub struct View<'a, T: TensorElement, D: Dimension = IxDyn> {
    array: ArrayView<'a, T, D>,
    _lease: Option<Lease>,
}

/// The elements of a tensor, for writing. See [`Tensor::view_mut`].
///
/// Dereferences to [`ndarray::ArrayRef`]. The memory is borrowed, for this view alone, until this value goes out of scope.
pub struct ViewMut<'a, T: TensorElement, D: Dimension = IxDyn> {
    array: ArrayViewMut<'a, T, D>,
    _lease: Option<Lease>,
}

fn any_rank(sizes: &[i64]) -> IxDyn {
    let mut dim = IxDyn::zeros(sizes.len());
    fill(dim.slice_mut(), sizes);
    dim
}

fn of_rank<const N: usize>(sizes: &[i64]) -> Dim<[Ix; N]>
where
    Dim<[Ix; N]>: Dimension,
{
    let mut dim = Dim::<[Ix; N]>::zeros(N);
    fill(dim.slice_mut(), sizes);
    dim
}

/// As an array of Rust has it, to which strides matter even without elements: then they are its own.
#[inline]
fn shape<D: Dimension>(elements: &Elements, dim: impl Fn(&[i64]) -> D) -> StrideShape<D> {
    let sizes = dim(elements.sizes());
    if elements.is_empty() { sizes.into() } else { sizes.strides(dim(elements.strides())) }
}

/// Sizes and strides of a tensor that was checked are not negative.
fn fill(to: &mut [Ix], from: &[i64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from as Ix;
    }
}

impl<'a, T: TensorElement, D: Dimension> View<'a, T, D> {
    #[inline]
    fn new(elements: Elements, dim: impl Fn(&[i64]) -> D) -> Self {
        let shape = shape(&elements, dim);
        // SAFETY: the tensor was checked: all elements lie in its storage, aligned, initialised as far as torch's are, of this
        // type. The lease keeps the storage, its memory (no resizing) and writers away, and lives as long as the array.
        let array = unsafe { ArrayView::from_shape_ptr(shape, elements.first() as *const T) };
        View { array, _lease: elements.lease }
    }
}

impl<'a, T: TensorElement> View<'a, T> {
    #[inline]
    #[track_caller]
    pub(super) fn dynamic(tensor: &'a Tensor) -> Result<Self> {
        Ok(Self::new(Elements::read::<T>(tensor, None, false, Location::caller())?, any_rank))
    }
}

impl<'a, T: TensorElement, const N: usize> View<'a, T, Dim<[Ix; N]>>
where
    Dim<[Ix; N]>: Dimension,
{
    #[inline]
    #[track_caller]
    pub(super) fn fixed(tensor: &'a Tensor) -> Result<Self> {
        Ok(Self::new(Elements::read::<T>(tensor, Some(N), false, Location::caller())?, of_rank))
    }
}

impl<'a, T: TensorElement, D: Dimension> ViewMut<'a, T, D> {
    #[inline]
    fn new(elements: Elements, dim: impl Fn(&[i64]) -> D) -> Self {
        let shape = shape(&elements, dim);
        // SAFETY: as for `View`; and no two elements share memory, and the lease keeps readers away as well.
        let array = unsafe { ArrayViewMut::from_shape_ptr(shape, elements.first() as *mut T) };
        ViewMut { array, _lease: elements.lease }
    }
}

impl<'a, T: TensorElement> ViewMut<'a, T> {
    #[inline]
    #[track_caller]
    pub(super) fn dynamic(tensor: &'a mut Tensor) -> Result<Self> {
        Ok(Self::new(Elements::write::<T>(tensor, None, false, Location::caller())?, any_rank))
    }
}

impl<'a, T: TensorElement, const N: usize> ViewMut<'a, T, Dim<[Ix; N]>>
where
    Dim<[Ix; N]>: Dimension,
{
    #[inline]
    #[track_caller]
    pub(super) fn fixed(tensor: &'a mut Tensor) -> Result<Self> {
        Ok(Self::new(Elements::write::<T>(tensor, Some(N), false, Location::caller())?, of_rank))
    }
}

// The array itself never gets out: a copy of it, with its long lifetime, would outlive the lease.
impl<T: TensorElement, D: Dimension> Deref for View<'_, T, D> {
    type Target = ArrayRef<T, D>;
    #[inline]
    fn deref(&self) -> &ArrayRef<T, D> {
        &self.array
    }
}

impl<T: TensorElement, D: Dimension> Deref for ViewMut<'_, T, D> {
    type Target = ArrayRef<T, D>;
    #[inline]
    fn deref(&self) -> &ArrayRef<T, D> {
        &self.array
    }
}

impl<T: TensorElement, D: Dimension> DerefMut for ViewMut<'_, T, D> {
    #[inline]
    fn deref_mut(&mut self) -> &mut ArrayRef<T, D> {
        &mut self.array
    }
}

impl<T: TensorElement, D: Dimension> fmt::Debug for View<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.array, f)
    }
}

impl<T: TensorElement, D: Dimension> fmt::Debug for ViewMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.array, f)
    }
}
