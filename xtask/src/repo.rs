//! Where things are in the repository.

use std::path::{Path, PathBuf};

/// The repository's root: the folder above this crate.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// cargo's target folder, honouring `CARGO_TARGET_DIR`.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// One target folder for each torch, so that a change of torch rebuilds nothing that was built before.
pub(crate) fn target_for(torch: &str) -> PathBuf {
    target().join(format!("torch-{torch}"))
}
