//! Calls from Rust, through the dispatcher.

use crate::check::Op;
use crate::convert::{PutAll, Returned, know_layout};
use crate::error::{OrTorch, Result};
use cxx::UniquePtr;
use std::fmt;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::OnceLock;
use torchop_sys::{RawValue, ffi};

/// A registered operator, looked up at the first call.
pub struct OpHandle(OnceLock<Found>);

/// By its address, which is read at every call; most handles are statics and are never dropped.
pub(super) struct Found(NonNull<ffi::Operator>);

impl Drop for Found {
    fn drop(&mut self) {
        // SAFETY: it comes from `UniquePtr::into_raw`, and nobody else drops it.
        drop(unsafe { UniquePtr::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: an operator handle is immutable, and torch's dispatcher may be called from any thread.
unsafe impl Send for Found {}
// SAFETY: as above.
unsafe impl Sync for Found {}

impl OpHandle {
    /// Not looked up yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        OpHandle(OnceLock::new())
    }

    /// The operator. No value is made before: in a program without operators of its own, torch's values are not known yet.
    #[inline]
    #[track_caller]
    pub(super) fn get(&self, name: &str, overload: &str) -> Result<&Found> {
        match self.0.get() {
            Some(found) => Ok(found),
            None => self.find(name, overload),
        }
    }

    #[cold]
    #[track_caller]
    fn find(&self, name: &str, overload: &str) -> Result<&Found> {
        know_layout()?;
        let found = ffi::operator_find(name, overload).or_torch()?;
        let found = NonNull::new(found.into_raw()).ok_or_else(|| crate::Error::runtime("torch gave no operator"))?;
        let found = Found(found); // another thread may be first, and this one be dropped
        Ok(self.0.get_or_init(|| found))
    }
}

impl Found {
    /// `checked`: the arguments' types are compared with the schema's. Torch only asserts that they are right.
    pub(super) fn call(
        &self,
        name: &str,
        arguments: &mut [RawValue],
        results: &mut [RawValue],
        checked: bool,
        caller: &'static Location<'static>,
    ) -> Result<()> {
        // SAFETY: it lives as long as `self`.
        let operator = unsafe { self.0.as_ref() };
        super::borrowed::check(operator, name, arguments, caller)?;
        let (first, count) = (arguments.as_mut_ptr(), arguments.len());
        // SAFETY: both arrays are live and ours; arguments are moved out unless they are lent, results hold None before.
        unsafe { ffi::operator_call(operator, first, count, results.as_mut_ptr(), results.len(), checked) }.or_torch()
    }
}

impl fmt::Debug for OpHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "OpHandle(found)" } else { "OpHandle(not looked up)" })
    }
}

/// Calls an operator that an attribute defined.
#[track_caller]
pub fn call<O: Op, A: PutAll, R: Returned>(arguments: A) -> R::Called {
    let caller = Location::caller();
    R::taken(|results| {
        let op = O::DEF.handle.get(O::DEF.name, O::DEF.overload).map_err(|error| error.at(caller))?;
        arguments.lend(|values| op.call(O::DEF.name, values, results, false, caller)).map_err(|error| error.at(caller))
    })
}
