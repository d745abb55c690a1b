//! `cargo xtask demo`: the whole road of `examples/identity_conv`, from one Rust file to a C++ and a Rust program without Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cargo::{library, program};
use crate::repo;
use crate::steps::Steps;
use crate::venv::{self, Python};

/// Build the example and walk through everything that PyTorch does with it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Release of torch, installed into .venv [default: the active Python's, else the newest tested one]
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
}

/// The steps in Python: a script of `examples/identity_conv/walk`, its argument after the library, and what it shows.
const WALK: &[(&str, &str)] = &[
    ("load", "load: torch.ops.load_library alone, twice, and a second copy"),
    ("eager", "eager: every layout and dtype, and meta tensors"),
    ("autograd", "autograd: gradcheck, gradgradcheck, opcheck"),
    ("compile", "compile: inductor, one compile for five sizes"),
    ("export", "export: strict and not, dynamic batch, save and load"),
    ("objects", "objects: the class, its copies and its errors"),
    ("package", "package: AOTInductor makes model.pt2"),
    ("serve", "serve: model.pt2 in a fresh process"),
];

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("demo")?;
    let python = steps.run("find or install torch", |shell| match &args.torch {
        Some(version) => venv::with_torch(version, shell),
        None => venv::active_or_newest(shell),
    });
    if let Some(python) = python {
        let built = steps.run("build examples/identity_conv", |shell| {
            let library = library("examples/identity_conv", &python, shell)?;
            shell.say(&format!("{}", library.display()));
            Ok(library)
        });
        if let Some(library) = built {
            walk(&mut steps, "", &python, &library);
        }
    }
    steps.finish()
}

/// All that follows once the library is there; `test` walks too, once for each torch.
pub(crate) fn walk(steps: &mut Steps, prefix: &str, python: &Python, library: &Path) {
    let example = repo::root().join("examples/identity_conv");
    let made = repo::target_for(&python.torch).join("walk");
    // Nothing of an earlier walk may make up for a step that fails now. What cannot be removed shows up where it is written.
    let _ = std::fs::remove_dir_all(&made);
    let script = |name: &str, library: &Path| {
        let mut command = Command::new(&python.interpreter);
        command.arg(example.join("walk").join(format!("{name}.py"))).arg(library).arg(&made);
        command
    };
    for (name, title) in WALK {
        steps.run(&format!("{prefix}{title}"), |shell| shell.run(&mut script(name, library)));
    }
    steps.run(&format!("{prefix}serve: a process that forgot the library"), |shell| {
        shell.run(&mut script("serve", Path::new("-")))
    });

    let host = steps.run(&format!("{prefix}host: build the C++ program"), |shell| {
        let (cmake, ninja) = venv::cmake(python, shell)?;
        let build = made.join("host");
        let mut configure = Command::new(&cmake);
        configure.arg("-S").arg(example.join("host")).arg("-B").arg(&build);
        configure.arg("-DCMAKE_BUILD_TYPE=Release").arg(format!("-DTORCH_DIR={}", python.torch_dir.display()));
        if let Some(ninja) = ninja {
            configure.args(["-G", "Ninja"]).arg(format!("-DCMAKE_MAKE_PROGRAM={}", ninja.display()));
        }
        shell.run(&mut configure)?;
        shell.run(Command::new(&cmake).arg("--build").arg(&build))?;
        Ok::<PathBuf, _>(build.join("host"))
    });
    if let Some(host) = host {
        steps.run(&format!("{prefix}host: model.pt2 in C++, without Python"), |shell| {
            let files = [library.to_owned(), made.join("model.pt2"), made.join("io.pt")];
            shell.run(Command::new(&host).args(files)).context("the C++ program failed")
        });
    }
    steps.run(&format!("{prefix}host: model.pt2 in Rust, without Python"), |shell| {
        let host = program("examples/identity_conv/host_rust", python, shell)?;
        let files = ["model.pt2", "x.f32", "y.f32"].map(|name| made.join(name));
        shell.run(Command::new(&host).args(files)).context("the Rust program failed")
    });
}
