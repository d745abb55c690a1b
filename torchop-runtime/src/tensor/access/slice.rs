//! Slices of contiguous tensors.

use super::element::TensorElement;
use super::memory::Elements;
use crate::borrow::Lease;
use crate::error::Result;
use crate::tensor::Tensor;
use std::fmt;
use std::marker::PhantomData;
use std::mem::size_of;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// The elements of a contiguous tensor, for reading: reads as `&[T]`. See [`Tensor::as_slice`].
pub struct Slice<'a, T: TensorElement> {
    first: *const T,
    length: usize,
    _lease: Option<Lease>,
    tensor: PhantomData<&'a Tensor>,
}

/// The elements of a contiguous tensor, for writing: reads as `&mut [T]`. See [`Tensor::as_slice_mut`].
pub struct SliceMut<'a, T: TensorElement> {
    first: *mut T,
    length: usize,
    _lease: Option<Lease>,
    tensor: PhantomData<&'a mut Tensor>,
}

impl<'a, T: TensorElement> Slice<'a, T> {
    #[inline]
    #[track_caller]
    pub(super) fn new(tensor: &'a Tensor) -> Result<Self> {
        let elements = Elements::read::<T>(tensor, None, true, Location::caller())?;
        Ok(Slice {
            first: elements.first() as *const T,
            length: elements.bytes() / size_of::<T>(),
            _lease: elements.lease,
            tensor: PhantomData,
        })
    }
}

impl<'a, T: TensorElement> SliceMut<'a, T> {
    #[inline]
    #[track_caller]
    pub(super) fn new(tensor: &'a mut Tensor) -> Result<Self> {
        let elements = Elements::write::<T>(tensor, None, true, Location::caller())?;
        Ok(SliceMut {
            first: elements.first() as *mut T,
            length: elements.bytes() / size_of::<T>(),
            _lease: elements.lease,
            tensor: PhantomData,
        })
    }
}

impl<T: TensorElement> Deref for Slice<'_, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: as for `View`: checked, of this type, and leased for as long as this value lives; contiguous, so the bytes
        // from the first to the last element are all the elements.
        unsafe { std::slice::from_raw_parts(self.first, self.length) }
    }
}

impl<T: TensorElement> Deref for SliceMut<'_, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: as for `Slice`.
        unsafe { std::slice::from_raw_parts(self.first, self.length) }
    }
}

impl<T: TensorElement> DerefMut for SliceMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `Slice`; and the lease keeps readers away as well.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.length) }
    }
}

impl<T: TensorElement> fmt::Debug for Slice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: TensorElement> fmt::Debug for SliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

// SAFETY: a `&[T]` of a type that is Sync; the lease may be given back on any thread.
unsafe impl<T: TensorElement> Send for Slice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: TensorElement> Sync for Slice<'_, T> {}
// SAFETY: a `&mut [T]` of a type that is Send.
unsafe impl<T: TensorElement> Send for SliceMut<'_, T> {}
// SAFETY: a shared reference to it gives `&[T]` alone.
unsafe impl<T: TensorElement> Sync for SliceMut<'_, T> {}
