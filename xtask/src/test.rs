//! `cargo xtask test`: everything, on the oldest and the newest torch.

use std::path::{Path, PathBuf};

use anyhow::Result;
use torchop_build::{NEWEST, OLDEST};

use crate::cargo::{TESTED, cargo, cargo_for, library, program};
use crate::demo::walk;
use crate::repo;
use crate::steps::Steps;
use crate::venv::{self, Python};

/// Check and test everything, on the oldest and the newest supported torch
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only on this release of torch
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
}

/// What is tested, and not only checked, without libtorch.
const WITHOUT_TORCH: &[&str] = &["torchop-schema", "torchop-macros", "torchop-build", "torchop-ui-tests", "xtask"];

/// What pytest is run on, each in a process of its own, and its arguments. The thousand graphs of the compile counts are apart: with torch
/// 2.15, collecting Python's garbage after them was seen to change the thread's excluded dispatch keys, so that later tests had no
/// gradients. (Dynamo enters an inference-mode guard for each frame, and leaves it to whoever drops it.)
const PYTESTS: &[(&str, &[&str])] = &[
    ("tests/cuda", &["tests/cuda"]),
    ("tests/python", &["tests/python", "--ignore-glob=*/test_one_compile*.py"]),
    (
        "tests/python, compile counts",
        &[
            "tests/python/test_one_compile.py",
            "tests/python/test_one_compile_examples.py",
            "tests/python/test_one_compile_exceptions.py",
        ],
    ),
];

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("test")?;
    steps.run("cargo fmt", |shell| shell.run(cargo().args(["fmt", "--all", "--check"])));
    without_torch(&mut steps);
    let versions = match &args.torch {
        Some(version) => vec![version.as_str()],
        None => vec![NEWEST, OLDEST],
    };
    for (position, version) in versions.into_iter().enumerate() {
        let python =
            steps.run(&format!("torch {version}: find or install it"), |shell| venv::with_torch(version, shell));
        if let Some(python) = python {
            if position == 0 {
                steps.run("cargo clippy", |shell| {
                    shell.run(cargo_for(&python).args([
                        "clippy",
                        "--workspace",
                        "--all-targets",
                        "--",
                        "-D",
                        "warnings",
                    ]))
                });
            }
            with_torch(&mut steps, &python);
        }
    }
    steps.finish()
}

fn without_torch(steps: &mut Steps) {
    let without = || {
        let mut command = cargo();
        command.env("TORCHOP_NO_TORCH", "1").env("CARGO_TARGET_DIR", repo::target().join("no-torch"));
        command
    };
    steps.run("without torch: cargo check", |shell| {
        shell.run(without().args(["check", "--workspace", "--all-targets"]))
    });
    steps.run("without torch: cargo test", |shell| {
        let packages = WITHOUT_TORCH.iter().flat_map(|name| ["--package", name]);
        shell.run(without().arg("test").args(packages))
    });
}

fn with_torch(steps: &mut Steps, python: &Python) {
    let prefix = format!("torch {}: ", python.torch);
    steps.run(&format!("{prefix}cargo test"), |shell| {
        shell.run(
            cargo_for(python)
                .args(["test", "--workspace"])
                .args(WITHOUT_TORCH.iter().flat_map(|name| ["--exclude", name])),
        )
    });

    let built = TESTED.iter().map(|&(folder, variable)| {
        let library = steps.run(&format!("{prefix}build {folder}"), |shell| library(folder, python, shell));
        library.map(|library| (variable, library))
    });
    // All are built, whatever becomes of one.
    let built: Vec<Option<(&str, PathBuf)>> = built.collect();
    let built: Option<Vec<(&str, PathBuf)>> = built.into_iter().collect();
    // Both put their programs into one folder.
    let hosts = ["tests/host_rust", "examples/tokenizer/host_rust"]
        .map(|folder| steps.run(&format!("{prefix}build {folder}"), |shell| program(folder, python, shell)));
    let [hosts, example_host] = &hosts;
    if let (Some(built), Some(hosts), Some(_)) = (&built, hosts.as_deref().and_then(Path::parent), example_host) {
        for (what, arguments) in PYTESTS {
            steps.run(&format!("{prefix}pytest {what}"), |shell| {
                let mut pytest = pytest(python, arguments[0]);
                pytest.args(&arguments[1..]);
                pytest.env("TORCHOP_HOST_PROGRAMS", hosts);
                let said = shell.run(pytest.envs(built.iter().map(|(variable, library)| (variable, library))))?;
                // Without a GPU most of tests/cuda is skipped: say so.
                said.lines().last().into_iter().for_each(|line| shell.say(line));
                Ok(())
            });
        }
    }
    steps.run(&format!("{prefix}schemas against torch's own parser"), |shell| {
        shell.run(cargo_for(python).args([
            "build",
            "--release",
            "--package",
            "torchop-schema",
            "--example",
            "schema_lines",
        ]))?;
        let lines = repo::target_for(&python.torch).join("release/examples/schema_lines");
        shell.run(pytest(python, "torchop-schema/tests/test_against_torch.py").env("TORCHOP_SCHEMA_LINES", lines))
    });
    let example = built.iter().flatten().find(|(variable, _)| *variable == "TORCHOP_LIB_EXAMPLE");
    if let Some((_, example)) = example {
        walk(steps, &prefix, python, example);
    }
}

fn pytest(python: &Python, path: &str) -> std::process::Command {
    let mut command = std::process::Command::new(&python.interpreter);
    command.current_dir(repo::root()).args(["-m", "pytest", "-q", path]);
    command
}
