//! Calls from Rust, through the dispatcher.

use crate::check::Op;
use crate::convert::{OwnedValues, PutAll, Returned};
use crate::error::{OrTorch, Result};
use cxx::UniquePtr;
use std::fmt;
use std::panic::Location;
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

    #[track_caller]
    fn get(&self, name: &str, overload: &str) -> Result<&ffi::Operator> {
        let found = match self.0.get() {
            Some(found) => found,
            None => {
                // Before any value is made: in a program without operators of its own no load hook has run.
                crate::convert::learn_layout()?;
                let found = Found(ffi::operator_find(name, overload).or_torch()?);
                self.0.get_or_init(|| found)
            }
        };
        found.0.as_ref().ok_or_else(|| crate::Error::runtime("torch gave no operator"))
    }
}

#[track_caller]
fn run(operator: &ffi::Operator, name: &str, mut arguments: OwnedValues, results: &mut OwnedValues) -> Result<()> {
    crate::op::borrowed::check(operator, name, &arguments)?;
    // SAFETY: both arrays are live and ours; arguments are moved out, results hold None before.
    unsafe {
        ffi::operator_call(operator, arguments.as_mut_ptr(), arguments.len(), results.as_mut_ptr(), results.len())
    }
    .or_torch()
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
        let operator = O::DEF.handle.get(O::DEF.name, O::DEF.overload).map_err(|error| error.at(caller))?;
        run(operator, O::DEF.name, arguments.put_all()?, results).map_err(|error| error.at(caller))
    })
}

/// Any operator that is registered with torch, by its name: torch's own, or one of another library.
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, TorchOp};
///
/// static MATMUL: TorchOp = TorchOp::new("aten::matmul", "");
///
/// fn project(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
///     MATMUL.call::<Tensor>((x, weight))
/// }
/// ```
///
/// The call goes through the dispatcher: gradients, fakes, modes and devices work. All arguments of the schema are given, in
/// order, keyword-only ones too; an optional one that is left out is `None::<i64>`, or an `Option` of its type.
#[derive(Debug)]
pub struct TorchOp {
    name: &'static str,
    overload: &'static str,
    handle: OpHandle,
}

impl TorchOp {
    /// The operator `ns::name`, with the part after the dot or an empty string. It is looked up at the first call.
    pub const fn new(name: &'static str, overload: &'static str) -> Self {
        TorchOp { name, overload, handle: OpHandle::new() }
    }

    /// Calls it. `R` is what it returns: one value, a tuple of values, or `()`.
    ///
    /// # Errors
    /// What torch raises; `TypeError` if the number of arguments or results, or the type of a result, is not the schema's.
    #[track_caller]
    pub fn call<R: Returned>(&self, arguments: impl PutAll) -> R::Called {
        let caller = Location::caller();
        R::taken(|results| {
            let operator = self.handle.get(self.name, self.overload).map_err(|error| error.at(caller))?;
            run(operator, self.name, arguments.put_all()?, results).map_err(|error| error.at(caller))
        })
    }
}
