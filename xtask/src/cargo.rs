//! cargo, called for one torch.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::repo;
use crate::shell::Shell;
use crate::venv::Python;

/// cargo in the repository's root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repo::root()).env_remove("TORCHOP_NO_TORCH");
    command
}

/// cargo that builds against that torch, in its own target folder.
pub(crate) fn cargo_for(python: &Python) -> Command {
    let mut command = cargo();
    command.env("TORCHOP_PYTHON", &python.interpreter).env("CARGO_TARGET_DIR", repo::target_for(&python.torch));
    command
}

/// An op library of the workspace.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) package: String,
    /// The file's name.
    pub(crate) file: String,
}

/// The op library that the package in that folder of the repository makes.
pub(crate) fn library_of(folder: &str) -> Result<Library> {
    let (package, name) = target(folder, "cdylib")?;
    let file = format!("{}{}{}", std::env::consts::DLL_PREFIX, name.replace('-', "_"), std::env::consts::DLL_SUFFIX);
    Ok(Library { package, file })
}

/// Names of the package in that folder, and of its first target of that kind.
fn target(folder: &str, kind: &str) -> Result<(String, String)> {
    let manifest = repo::root().join(folder).join("Cargo.toml");
    let metadata = cargo().args(["metadata", "--no-deps", "--format-version=1"]).output()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout).context("what `cargo metadata` prints")?;
    let package = metadata["packages"]
        .as_array()
        .and_then(|packages| {
            packages.iter().find(|package| package["manifest_path"].as_str().is_some_and(|path| manifest == *path))
        })
        .with_context(|| format!("{folder} is no package of the workspace"))?;
    let name = package["targets"]
        .as_array()
        .and_then(|targets| {
            targets
                .iter()
                .find(|target| target["crate_types"].as_array().is_some_and(|types| types.contains(&kind.into())))
        })
        .and_then(|target| target["name"].as_str())
        .with_context(|| format!("{folder} makes no {kind}"))?;
    Ok((package["name"].as_str().unwrap_or(folder).to_owned(), name.to_owned()))
}

/// Builds the op library of the package in that folder of the repository, in release, and gives its path.
pub(crate) fn library(folder: &str, python: &Python, shell: &Shell) -> Result<PathBuf> {
    let library = library_of(folder)?;
    shell.run(cargo_for(python).args(["build", "--release", "--package", &library.package]))?;
    Ok(repo::target_for(&python.torch).join("release").join(library.file))
}

/// Builds the programs of the package in that folder, in release, and gives the path of one of them.
pub(crate) fn program(folder: &str, python: &Python, shell: &Shell) -> Result<PathBuf> {
    let (package, name) = target(folder, "bin")?;
    shell.run(cargo_for(python).args(["build", "--release", "--package", &package]))?;
    Ok(repo::target_for(&python.torch).join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// The op libraries that `tests/python` and `tests/cuda` load: the package's folder, and the environment variable that tells the
/// tests where the file is.
pub(crate) const TESTED: &[(&str, &str)] = &[
    ("examples/identity_conv", "TORCHOP_LIB_EXAMPLE"),
    ("examples/queue", "TORCHOP_LIB_QUEUE"),
    ("examples/rms_norm", "TORCHOP_LIB_RMS_NORM"),
    ("examples/to_contiguous", "TORCHOP_LIB_TO_CONTIGUOUS"),
    ("examples/tokenizer", "TORCHOP_LIB_TOKENIZER"),
    ("examples/weights", "TORCHOP_LIB_WEIGHTS"),
    ("tests/dlpack", "TORCHOP_LIB_DLPACK"),
    ("tests/foreign", "TORCHOP_LIB_FOREIGN"),
    ("tests/ops", "TORCHOP_LIB_TESTS"),
];
