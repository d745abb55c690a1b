//! Tensors.

mod access;
mod arithmetic;
mod creation;
mod dims;
pub(crate) mod dispatch;
mod item;
mod memory;
mod metadata;
mod operators;
mod options;
mod owned_memory;
mod print;
mod symbolic;
mod views;

pub use access::Elements;
pub use access::{
    Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu, Slice, SliceMut,
    TensorElement, View, ViewMut,
};
pub(crate) use access::{clash, parts};

pub use dims::Dims;
pub use item::Item;
pub use options::Options;

use crate::convert::Arguments;
use std::mem::ManuallyDrop;
use torchop_sys::{TensorHandle, ffi};

/// A tensor of torch's: a counted reference to it, as in Python.
///
/// `clone` gives another reference to the *same* tensor; [`Tensor::deep_clone`] copies its memory, as `clone` does in Python.
/// Methods that reach torch return `Result`: whatever torch throws arrives as an [`Error`](crate::Error).
#[repr(transparent)]
pub struct Tensor(ManuallyDrop<TensorHandle>);

impl Tensor {
    /// Borrows a handle as a tensor.
    #[inline]
    pub(crate) fn from_handle(handle: &TensorHandle) -> &Tensor {
        // SAFETY: Tensor is transparent over ManuallyDrop, which is transparent over the handle.
        unsafe { &*std::ptr::from_ref(handle).cast::<Tensor>() }
    }

    /// Borrows a handle as a tensor that may be replaced.
    pub(crate) fn from_handle_mut(handle: &mut TensorHandle) -> &mut Tensor {
        // SAFETY: as above.
        unsafe { &mut *std::ptr::from_mut(handle).cast::<Tensor>() }
    }

    /// Takes a reference over.
    pub(crate) fn from_owned_handle(handle: TensorHandle) -> Tensor {
        Tensor(ManuallyDrop::new(handle))
    }

    #[inline]
    pub(crate) fn handle(&self) -> &TensorHandle {
        &self.0
    }

    #[inline]
    pub(crate) fn into_handle(self) -> TensorHandle {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so its handle is moved out exactly once.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

/// For slices of tensors: the handles of `&[&Tensor]`, side by side.
impl Tensor {
    pub(crate) fn bits(&self) -> u64 {
        // SAFETY: a tensor is one pointer, transparent all the way down.
        unsafe { *std::ptr::from_ref(self).cast::<u64>() }
    }

    /// Borrowed tensors from their bits, which `keeper` keeps alive. Nothing is counted: a slice is never dropped.
    pub(crate) fn from_bits_slice<'s>(bits: &'s [u64], keeper: Arguments<'s>) -> &'s [Tensor] {
        debug_assert_eq!(bits.len(), keeper.len());
        // SAFETY: Tensor is transparent over one pointer; each comes from a `&Tensor` that lives for `'s`.
        unsafe { std::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
    }
}

impl Clone for Tensor {
    #[inline]
    fn clone(&self) -> Self {
        Tensor(ManuallyDrop::new(ffi::tensor_clone_handle(&self.0)))
    }
}

impl Drop for Tensor {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { ffi::tensor_drop_handle(&raw mut *self.0) }
    }
}

// SAFETY: a tensor is held by an atomic reference count; its metadata is read-only through `&Tensor`. Writers elsewhere
// (Python, C++) are under torch's own rule: no writing while others read (SAFETY.md, "Foreign code").
unsafe impl Send for Tensor {}
// SAFETY: as above.
unsafe impl Sync for Tensor {}

const _: () = assert!(size_of::<Tensor>() == size_of::<*const u8>(), "a tensor is one pointer");
