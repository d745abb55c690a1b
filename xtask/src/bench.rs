//! `cargo xtask bench`: calls, builds, size and load of `bench/ops`, against the same operators in C++ and in Python; the layer
//! `examples/rms_norm` against torch's.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::cargo::{library, program};
use crate::repo;
use crate::steps::Steps;
use crate::venv;

/// Measure calls, builds, size and load against C++ and Python
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Release of torch, installed into .venv [default: the active Python's, else the newest tested one]
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
    /// Fewer rounds, and no clean build
    #[arg(long)]
    quick: bool,
    /// Fail if a gate is missed
    #[arg(long)]
    check: bool,
}

/// The libraries that are measured: the option that names the file, and the package's folder.
const BUILT: &[(&str, &str)] =
    &[("--library", "bench/ops"), ("--example", "examples/identity_conv"), ("--rms-norm", "examples/rms_norm")];

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("bench")?;
    let out = repo::target().join("bench");
    let python = steps.run("find or install torch", |shell| match &args.torch {
        Some(version) => venv::with_torch(version, shell),
        None => venv::active_or_newest(shell),
    });
    let built = python.as_ref().and_then(|python| {
        steps.run("build the libraries and the program", |shell| {
            let built = BUILT.iter().map(|(option, folder)| Ok((*option, library(folder, python, shell)?)));
            let mut built = built.collect::<Result<Vec<_>>>()?;
            built.push(("--host", program("bench/host", python, shell)?));
            Ok(built)
        })
    });
    if let (Some(python), Some(built)) = (python, built) {
        let measured = steps.run("measure", |shell| {
            let mut measure = Command::new(&python.interpreter);
            measure.arg(repo::root().join("bench/measure.py")).arg("--out").arg(&out);
            for (option, file) in &built {
                measure.arg(option).arg(file);
            }
            // Cargo, for the build times; a person's own switch to build without torch is not meant for them.
            measure.env("TORCHOP_PYTHON", &python.interpreter).env_remove("TORCHOP_NO_TORCH");
            if args.quick {
                measure.arg("--quick");
            }
            shell.run(&mut measure)?;
            std::fs::read_to_string(out.join("table.txt")).context("the table")
        });
        if let Some(table) = measured {
            println!("\n{table}\nThe same, to compute with: {}\n", out.join("results.json").display());
            if args.check {
                steps.run("gates", |_| {
                    let results: Value = serde_json::from_str(&std::fs::read_to_string(out.join("results.json"))?)?;
                    let gates = results["gates"].as_array().context("the gates in results.json")?;
                    let missed = gates.iter().filter(|gate| gate["reached"] != true);
                    let missed: Vec<&str> = missed.filter_map(|gate| gate["gate"].as_str()).collect();
                    ensure!(missed.is_empty(), "missed: {}", missed.join("; "));
                    Ok(())
                });
            }
        }
    }
    steps.finish()
}
