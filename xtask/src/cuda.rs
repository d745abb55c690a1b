//! `cargo xtask cuda`: builds what runs on a machine with a GPU, which needs no Rust, and runs it if that machine is this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use torchop_build::OLDEST;

use crate::cargo::library;
use crate::repo;
use crate::shell::Shell;
use crate::steps::Steps;
use crate::venv::{self, Python};

/// Put together, and run, what needs a GPU: tests, compute-sanitizer, measurements
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Release of torch that the machine with the GPU has
    #[arg(long, value_name = "VERSION", default_value = OLDEST)]
    torch: String,
    /// Run it here
    #[arg(long)]
    run: bool,
}

/// Packages whose libraries are carried.
const LIBRARIES: &[&str] =
    &["examples/identity_conv", "examples/to_contiguous", "examples/rms_norm", "tests/dlpack", "tests/ops"];

/// What the scripts read beside them.
const FOLDERS: &[&str] = &[
    "tests/cuda",
    "tests/python",
    "bench/cuda",
    "torchop-runtime/src/cuda",
    "examples/identity_conv/src",
    "examples/identity_conv/host",
];

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("cuda")?;
    let folder = repo::target().join("cuda");
    let python =
        steps.run(&format!("torch {}: find or install it", args.torch), |shell| venv::with_torch(&args.torch, shell));
    let carried = python.as_ref().and_then(|python| {
        steps.run("build and put together", |shell| {
            let libraries =
                LIBRARIES.iter().map(|name| library(name, python, shell)).collect::<Result<Vec<PathBuf>>>()?;
            put_together(&folder, &libraries, shell)
        })
    });
    if let (Some(python), Some(())) = (&python, carried) {
        if args.run {
            steps.run("tests, sanitizers and measurements", |shell| run_here(&folder, python, shell));
        } else {
            println!(
                "\nOn a machine with a GPU and torch {}: copy {} there and run\n    python3 cuda/repo/tests/cuda/run.py cuda/lib out\n",
                args.torch,
                folder.display()
            );
        }
    }
    steps.finish()
}

/// `lib/` with the libraries, without symbols, and `repo/` with the scripts, in the repository's order.
fn put_together(folder: &Path, libraries: &[PathBuf], shell: &Shell) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let lib = folder.join("lib");
    fs::create_dir_all(&lib)?;
    for library in libraries {
        let name = library.file_name().context("a library's name")?;
        shell.run(Command::new("strip").arg(library).arg("-o").arg(lib.join(name)))?;
    }
    FOLDERS.iter().try_for_each(|name| copy(&repo::root().join(name), &folder.join("repo").join(name)))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let (from, to) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_file() {
            fs::copy(&from, &to)?;
        } else if !from.ends_with("__pycache__") {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

fn run_here(folder: &Path, python: &Python, shell: &Shell) -> Result<()> {
    let mut run = Command::new(&python.interpreter);
    run.arg(folder.join("repo/tests/cuda/run.py")).arg(folder.join("lib")).arg(folder.join("out"));
    let said = shell.run(&mut run)?;
    println!("{said}");
    Ok(())
}
