//! How a package is loaded.

use crate::model::Model;
use std::path::Path;
use torchop_runtime::Result;

/// How a package is loaded.
///
/// ```no_run
/// # fn main() -> torchop_runtime::Result<()> {
/// // SAFETY: the package comes from `torch.export` with these inputs.
/// let model = unsafe { torchop_aoti::Options::new().runners(4).load("model.pt2", &["ids: int64[batch, length]"])? };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) name: String,
    pub(crate) device: Option<u8>,
    pub(crate) runners: usize,
    pub(crate) single_threaded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { name: "model".into(), device: None, runners: 1, single_threaded: false }
    }
}

impl Options {
    /// As [`Model::load`] has them: the model called `model`, one runner, torch's current device.
    pub fn new() -> Self {
        Self::default()
    }

    /// The model's name in a package that holds several.
    pub fn name(self, name: impl Into<String>) -> Self {
        Options { name: name.into(), ..self }
    }

    /// Which GPU a model for GPUs runs on.
    pub fn device(self, index: u8) -> Self {
        Options { device: Some(index), ..self }
    }

    /// How many threads may be inside the model at a time; others wait. At least 1. Each has working memory of its own, the weights are
    /// shared.
    pub fn runners(self, runners: usize) -> Self {
        Options { runners: runners.max(1), ..self }
    }

    /// Torch's way without locks and without waiting for the GPU, which CUDA graphs need: one thread at a time, which torchop sees to.
    pub fn single_threaded(self) -> Self {
        Options { single_threaded: true, ..self }
    }

    /// [`Model::load`] with these options.
    ///
    /// # Safety
    /// As for [`Model::load`].
    ///
    /// # Errors
    /// As for [`Model::load`].
    pub unsafe fn load(&self, path: impl AsRef<Path>, inputs: &[&str]) -> Result<Model> {
        // SAFETY: the caller's promise.
        unsafe { Model::open(self, path.as_ref(), inputs) }
    }
}
