//! Conditions on sizes that may be symbolic.

use crate::error::{Error, OrTorch, Result};
use cxx::UniquePtr;
use std::fmt;
use torchop_sys::ffi;

/// Whether something holds of sizes while torch traces: known, or a condition on symbols (`torch.SymBool`).
///
/// There is no `bool` in it without a word about what happens to the graph: [`check`](SymBool::check) keeps the graph for all
/// sizes, [`or_false`](SymBool::or_false) too, [`specialize`](SymBool::specialize) does not.
pub struct SymBool(UniquePtr<ffi::SymBool>);

impl SymBool {
    pub(crate) fn from_bridge(value: UniquePtr<ffi::SymBool>) -> Self {
        SymBool(value)
    }

    fn get(&self) -> Result<&ffi::SymBool> {
        self.0.as_ref().ok_or_else(|| Error::runtime("torch gave no condition"))
    }

    /// Whether it is so, **specialising** the graph that is being traced: it is recompiled for sizes of which it is otherwise.
    pub fn specialize(&self) -> Result<bool> {
        ffi::sym_bool_guard(self.get()?).or_torch()
    }

    /// Whether it is so; `false` where torch cannot tell, as of a size that depends on data.
    pub fn or_false(&self) -> Result<bool> {
        ffi::sym_bool_guard_or(self.get()?, false).or_torch()
    }

    /// Whether it is so; `true` where torch cannot tell.
    pub fn or_true(&self) -> Result<bool> {
        ffi::sym_bool_guard_or(self.get()?, true).or_torch()
    }

    /// A `ValueError` with the message where it is not so. Torch takes it as so from here on, and checks it when the graph runs
    /// where it cannot tell now (`torch._check`).
    #[track_caller]
    pub fn check(&self, message: impl Into<String>) -> Result<()> {
        if ffi::sym_bool_expect(self.get()?).or_torch()? { Ok(()) } else { Err(Error::value(message)) }
    }

    /// Both.
    pub fn and(&self, other: &SymBool) -> Result<SymBool> {
        ffi::sym_bool_and(self.get()?, other.get()?).or_torch().map(SymBool)
    }

    /// One of them, or both.
    pub fn or(&self, other: &SymBool) -> Result<SymBool> {
        ffi::sym_bool_or(self.get()?, other.get()?).or_torch().map(SymBool)
    }

    /// The opposite.
    #[allow(clippy::should_implement_trait)] // `!` could not fail
    pub fn not(&self) -> Result<SymBool> {
        ffi::sym_bool_not(self.get()?).or_torch().map(SymBool)
    }
}

impl fmt::Debug for SymBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get().map(ffi::sym_bool_text) {
            Ok(Ok(text)) => f.write_str(&text.to_string_lossy()),
            _ => f.write_str("?"),
        }
    }
}

// SAFETY: a symbol's node is held by an atomic reference count, and its operations take Python's lock themselves.
unsafe impl Send for SymBool {}
// SAFETY: as above; nothing writes to it.
unsafe impl Sync for SymBool {}
