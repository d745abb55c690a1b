//! Sizes that may be symbolic.

use crate::error::{OrTorch, Result};
use std::fmt;
use std::mem::ManuallyDrop;
use torchop_sys::{SymIntHandle, ffi};

/// A size while torch traces: a number, or a symbol that stands for one (`torch.SymInt`).
///
/// Arithmetic keeps symbols symbolic, so that one compiled graph serves all sizes.
pub struct SymInt(ManuallyDrop<SymIntHandle>);

impl SymInt {
    pub(crate) fn from_handle(handle: SymIntHandle) -> Self {
        SymInt(ManuallyDrop::new(handle))
    }

    pub(crate) fn into_handle(self) -> SymIntHandle {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so its handle is moved out exactly once.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }

    /// Whether it is a symbol.
    pub fn is_symbolic(&self) -> bool {
        ffi::sym_int_is_symbolic(&self.0)
    }

    /// The number, **specialising** the graph that is being traced: it is recompiled for every other value.
    pub fn specialize(&self) -> Result<i64> {
        ffi::sym_int_guard(&self.0).or_torch()
    }

    /// The sum.
    pub fn add(&self, other: &SymInt) -> Result<SymInt> {
        ffi::sym_int_add(&self.0, &other.0).or_torch().map(Self::from_handle)
    }

    /// The difference.
    pub fn sub(&self, other: &SymInt) -> Result<SymInt> {
        ffi::sym_int_sub(&self.0, &other.0).or_torch().map(Self::from_handle)
    }

    /// The product.
    pub fn mul(&self, other: &SymInt) -> Result<SymInt> {
        ffi::sym_int_mul(&self.0, &other.0).or_torch().map(Self::from_handle)
    }

    /// The quotient, rounded down.
    pub fn floor_div(&self, other: &SymInt) -> Result<SymInt> {
        ffi::sym_int_div(&self.0, &other.0).or_torch().map(Self::from_handle)
    }
}

impl From<i64> for SymInt {
    fn from(value: i64) -> Self {
        Self::from_handle(ffi::sym_int_new(value))
    }
}

impl Clone for SymInt {
    fn clone(&self) -> Self {
        Self::from_handle(ffi::sym_int_clone(&self.0))
    }
}

impl Drop for SymInt {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { ffi::sym_int_drop(&raw mut *self.0) }
    }
}

impl fmt::Display for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ffi::sym_int_text(&self.0) {
            Ok(text) => f.write_str(&text.to_string_lossy()),
            Err(_) => f.write_str("?"),
        }
    }
}

impl fmt::Debug for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// SAFETY: a symbol's node is held by an atomic reference count, and its operations take Python's lock themselves.
unsafe impl Send for SymInt {}
// SAFETY: as above.
unsafe impl Sync for SymInt {}
