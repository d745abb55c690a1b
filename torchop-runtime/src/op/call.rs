//! Calls from Rust, through the dispatcher.

use crate::check::Op;
use crate::convert::{OwnedValues, PutAll, Returned};
use crate::error::{OrTorch, Result};
use cxx::UniquePtr;
use std::fmt;
use std::sync::OnceLock;
use torchop_sys::ffi;

/// A registered operator, looked up at the first call.
pub struct OpHandle(OnceLock<Found>);

struct Found(UniquePtr<ffi::Operator>);

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

    fn get(&self, name: &str, overload: &str) -> Result<&ffi::Operator> {
        let found = match self.0.get() {
            Some(found) => found,
            None => {
                let found = Found(ffi::operator_find(name, overload).or_torch()?);
                self.0.get_or_init(|| found)
            }
        };
        found.0.as_ref().ok_or_else(|| crate::Error::runtime("torch gave no operator"))
    }

    fn call(&self, name: &str, overload: &str, mut arguments: OwnedValues, results: &mut OwnedValues) -> Result<()> {
        let operator = self.get(name, overload)?;
        // SAFETY: both arrays are live and ours; arguments are moved out, results hold None before.
        unsafe {
            ffi::operator_call(operator, arguments.as_mut_ptr(), arguments.len(), results.as_mut_ptr(), results.len())
        }
        .or_torch()
    }
}

impl fmt::Debug for OpHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "OpHandle(found)" } else { "OpHandle(not looked up)" })
    }
}

/// Calls an operator that an attribute defined.
pub fn call<O: Op, A: PutAll, R: Returned>(arguments: A) -> R::Called {
    R::taken(|results| O::DEF.handle.call(O::DEF.name, O::DEF.overload, arguments.put_all()?, results))
}

/// One of torch's own operators.
pub(crate) struct TorchOp {
    name: &'static str,
    overload: &'static str,
    handle: OpHandle,
}

impl TorchOp {
    pub(crate) const fn new(name: &'static str, overload: &'static str) -> Self {
        TorchOp { name, overload, handle: OpHandle::new() }
    }

    pub(crate) fn call<R: Returned<Called = Result<R>>>(&self, arguments: impl PutAll) -> Result<R> {
        R::taken(|results| self.handle.call(self.name, self.overload, arguments.put_all()?, results))
    }
}
