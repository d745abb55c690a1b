//! `cargo xtask matrix`: which types of torch's schema language work where, measured again, and the page that says so.

use std::process::Command;

use anyhow::Result;
use torchop_build::{NEWEST, OLDEST};

use crate::cargo::library;
use crate::repo;
use crate::steps::Steps;
use crate::venv;

/// Measure which types work where, on the oldest and the newest torch, and write docs/types.md
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure only on this release of torch
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("matrix")?;
    let versions = args.torch.as_deref().map_or(vec![NEWEST, OLDEST], |version| vec![version]);
    let tool = repo::root().join("tests/matrix");
    for version in versions {
        steps.run(&format!("torch {version}: measure"), |shell| {
            let python = venv::with_torch(version, shell)?;
            let library = library("tests/ops", &python, shell)?;
            shell.run(Command::new(&python.interpreter).arg(&tool).arg("measure").arg(library))
        });
    }
    steps.run("docs/types.md", |shell| {
        let python = venv::with_torch(args.torch.as_deref().unwrap_or(NEWEST), shell)?;
        shell.run(Command::new(&python.interpreter).arg(&tool).arg("table"))
    });
    steps.finish()
}
