//! Generators of random numbers.

use crate::error::{OrTorch, Result};
use std::fmt;
use std::mem::ManuallyDrop;
use torchop_sys::{GeneratorHandle, ffi};

/// A generator of random numbers (`torch.Generator`): a counted reference to it. Give it on to torch's random operators.
pub struct Generator(ManuallyDrop<GeneratorHandle>);

impl Generator {
    pub(crate) fn from_handle(handle: GeneratorHandle) -> Self {
        Generator(ManuallyDrop::new(handle))
    }

    pub(crate) fn into_handle(self) -> GeneratorHandle {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so its handle is moved out exactly once.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }

    /// Torch's own generator for the CPU: what `torch.manual_seed` sets, and what a checkpoint sets back.
    pub fn default_cpu() -> Result<Self> {
        ffi::generator_default_cpu().or_torch().map(Self::from_handle)
    }

    /// The next random number: the seed of an operator's own generator, say. `ValueError` if it is not on the CPU.
    pub fn next_u64(&self) -> Result<u64> {
        ffi::generator_next(&self.0).or_torch()
    }

    /// The seed it was last set to.
    pub fn seed(&self) -> Result<u64> {
        ffi::generator_seed(&self.0).or_torch()
    }
}

impl Clone for Generator {
    fn clone(&self) -> Self {
        Self::from_handle(ffi::generator_clone_handle(&self.0))
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { ffi::generator_drop_handle(&raw mut *self.0) }
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ffi::generator_device(&self.0) {
            Ok(device) => write!(f, "Generator({device})"),
            Err(_) => f.write_str("Generator"),
        }
    }
}

// SAFETY: held by an atomic reference count; torch locks a generator's state itself.
unsafe impl Send for Generator {}
// SAFETY: as above.
unsafe impl Sync for Generator {}
