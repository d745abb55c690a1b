//! A Python with torch: the active one, or a virtual environment `.venv/torch-<version>` that is made and kept here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use torchop_build::Version;

use crate::repo;
use crate::shell::Shell;

/// Beside torch: what tests, inductor and the C++ host need on a machine that has only Python and a compiler.
const PACKAGES: &[&str] = &["numpy", "pytest", "setuptools", "ninja", "cmake"];

/// A Python and its torch.
pub(crate) struct Python {
    /// The interpreter.
    pub(crate) interpreter: PathBuf,
    /// `2.15.0`.
    pub(crate) torch: String,
    /// The torch package folder.
    pub(crate) torch_dir: PathBuf,
}

/// The active Python's torch, or else the virtual environment with the newest.
pub(crate) fn active_or_newest(shell: &Shell) -> Result<Python> {
    match torchop_build::find() {
        Ok(torchop_build::Torch { python: Some(interpreter), version, root, source, .. }) => {
            shell.say(&format!("torch {version} of {} ({source})", interpreter.display()));
            let torch = format!("{}.{}.{}", version.major, version.minor, version.patch);
            Ok(Python { interpreter, torch, torch_dir: root })
        }
        Err(error) if std::env::var_os("TORCHOP_PYTHON").is_some() => Err(error.into()),
        _ => with_torch(torchop_build::NEWEST, shell),
    }
}

/// The virtual environment with that version of torch; made, completed or repaired as needed.
pub(crate) fn with_torch(version: &str, shell: &Shell) -> Result<Python> {
    match Version::parse(version) {
        Some(parsed) if !parsed.is_too_old() => {}
        _ => bail!(
            "`--torch {version}`: expected a release such as {}, not older than {}",
            torchop_build::NEWEST,
            torchop_build::OLDEST
        ),
    }
    let folder = repo::root().join(".venv").join(format!("torch-{version}"));
    let torch = format!("torch=={version}");
    let packages: Vec<&str> = [torch.as_str()].into_iter().chain(PACKAGES.iter().copied()).collect();
    let interpreter = make(&folder, &packages, shell)?;
    let place = shell.run(Command::new(&interpreter).args(["-c", "import torch; print(torch.__path__[0])"]))?;
    let torch_dir = place.lines().last().context("the path of torch")?.into();
    shell.say(&format!("torch {version} of {}", interpreter.display()));
    Ok(Python { interpreter, torch: version.to_owned(), torch_dir })
}

/// `cmake` and, if it has one beside it, `ninja`: the Python's own, that of `PATH`, or from an environment of their own.
pub(crate) fn cmake(python: &Python, shell: &Shell) -> Result<(PathBuf, Option<PathBuf>)> {
    let beside = |folder: &Path| {
        let (cmake, ninja) = (folder.join("cmake"), folder.join("ninja"));
        cmake.is_file().then(|| (cmake, ninja.is_file().then_some(ninja)))
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = python.interpreter.parent().map(Path::to_owned);
    if let Some(found) = own.into_iter().chain(std::env::split_paths(&path)).find_map(|folder| beside(&folder)) {
        return Ok(found);
    }
    let tools = make(&repo::root().join(".venv/tools"), &["ninja", "cmake"], shell)?;
    tools.parent().and_then(beside).context("pip installed no cmake")
}

/// A virtual environment with those packages. Its stamp, written last, names them: without it, what is missing is installed. One that
/// does not start, or does not work after that, is made anew; a failing download leaves it as it is.
fn make(folder: &Path, packages: &[&str], shell: &Shell) -> Result<PathBuf> {
    let (interpreter, stamp, wanted) = (folder.join("bin/python"), folder.join("xtask-stamp"), packages.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) && interpreter.is_file() {
        return Ok(interpreter);
    }
    let create = || shell.run(Command::new(base_python()?).args(["-m", "venv", "--clear"]).arg(folder));
    let install = || shell.run(Command::new(&interpreter).args(["-m", "pip", "install"]).args(packages));
    // pip takes a package in which it was interrupted for complete: try them out.
    let imports: Vec<&str> = packages.iter().filter_map(|package| package.split("==").next()).collect();
    let works = || shell.run(Command::new(&interpreter).args(["-c", &format!("import {}", imports.join(", "))]));

    shell.say(&format!("{}: {} (torch downloads 3 to 5 GB)", folder.display(), packages.join(" ")));
    if shell.run(Command::new(&interpreter).args(["-m", "pip", "--version"])).is_err() {
        create()?;
    }
    install()?;
    if works().is_err() {
        create()?;
        install()?;
        works()?;
    }
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(interpreter)
}

/// The Python that virtual environments are made with.
fn base_python() -> Result<&'static str> {
    const USABLE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"]
        .into_iter()
        .find(|python| Command::new(python).args(["-c", USABLE]).output().is_ok_and(|output| output.status.success()))
        .context(
            "there is no Python 3.10 or newer with `venv` on PATH; install one (on Debian: `apt install python3-venv`)",
        )
}
