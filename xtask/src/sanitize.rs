//! `cargo xtask sanitize`: the example and the test operators under AddressSanitizer in the real torch, reference counts,
//! and memory that stays flat.
//!
//! Rust is instrumented by rustc, the bridge by g++, and g++'s runtime serves both: it is what a machine with a C++ compiler
//! has. Torch and Python are as they come; their allocations are guarded like ours.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use torchop_build::{NEWEST, OLDEST};

use crate::cargo::{TESTED, cargo, library, library_of};
use crate::repo;
use crate::shell::Shell;
use crate::steps::Steps;
use crate::venv::{self, Python};

/// Look for memory errors and leaks, on the oldest and the newest supported torch
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only on this release of torch
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
}

/// A target named to cargo keeps the flags away from build scripts and macros, which run without the sanitizer.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The folder of the operators that have the planted faults.
const FAULTY: &str = "tests/sanitize/ops";

/// Steps of the example's walk that need no compiler.
const WALK: &[&str] = &["load", "eager", "autograd", "objects"];

/// The faults of `tests/sanitize/ops/src/faults.rs`, and what is said when one is found: all of these words.
const FAULTS: &[(&str, &[&str])] = &[
    (
        "use_after_free",
        &["AddressSanitizer: heap-use-after-free", "use_after_free6kernel tests/sanitize/ops/src/faults.rs"],
    ),
    (
        "out_of_bounds",
        &["AddressSanitizer: heap-buffer-overflow", "out_of_bounds6kernel tests/sanitize/ops/src/faults.rs"],
    ),
    ("use_after_free_in_cpp", &["AddressSanitizer: heap-use-after-free", "in torchop::tensor_defined"]),
    (
        "leak",
        &["200 such leaks, the first", "leak6kernel tests/sanitize/ops/src/faults.rs", "memory leaks, from 1 places"],
    ),
    ("leak_reference", &["leak_reference: 200 tensors are still alive after 200 rounds"]),
];

pub(crate) fn run(args: Args) -> Result<()> {
    let mut steps = Steps::new("sanitize")?;
    let versions = match &args.torch {
        Some(version) => vec![version.as_str()],
        None => vec![NEWEST, OLDEST],
    };
    for version in versions {
        let python =
            steps.run(&format!("torch {version}: find or install it"), |shell| venv::with_torch(version, shell));
        if let Some(python) = python {
            sanitized(&mut steps, &python);
            unsanitized(&mut steps, &python);
        }
    }
    steps.finish()
}

/// Memory errors and leaks; slow code, so each thing is done some hundred times.
fn sanitized(steps: &mut Steps, python: &Python) {
    let prefix = format!("torch {}: ", python.torch);
    let built = steps.run(&format!("{prefix}build with AddressSanitizer"), |shell| build(python, shell));
    let Some(Built { preload, example, faulty: ours, tested }) = built else { return };
    let checked = |script: &[&Path]| {
        let mut command = sanitized_python(python, &preload);
        command.arg(scripts().join("leak_checked.py")).args(script);
        command
    };

    steps.run(&format!("{prefix}no memory error, no leak: success, error, panic"), |shell| {
        shell.run(&mut checked(&[&scripts().join("repeat.py"), &example, &ours]))
    });
    for name in WALK {
        let script = repo::root().join("examples/identity_conv/walk").join(name).with_extension("py");
        let made = target(python).join("walk");
        steps.run(&format!("{prefix}no memory error, no leak: the example, {name}"), |shell| {
            shell.run(&mut checked(&[&script, &example, &made]))
        });
    }
    steps.run(&format!("{prefix}no memory error, no leak: tests/python"), |shell| {
        // The sanitizer keeps freed memory for a while, so nothing is flat here; `flat.py` measures without it.
        let arguments = [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--deselect=tests/python/test_memory.py::test_memory_is_flat",
            // They count compiles, of operators that other files call with more, and run apart (`test.rs`).
            "--ignore-glob=*/test_one_compile*.py",
            // Programs of their own, which are not built with the sanitizer.
            "--ignore=tests/python/test_host_rust.py",
            "--deselect=tests/python/test_example_tokenizer.py::test_served_without_python",
            "--deselect=tests/python/test_example_tokenizer.py::test_text_that_is_no_text_is_an_error_there_too",
            "tests/python",
        ];
        let mut pytest = checked(&arguments.map(Path::new));
        shell.run(pytest.envs(tested.iter().map(|(variable, library)| (variable, library))))
    });
    for (fault, words) in FAULTS {
        steps.run(&format!("{prefix}a planted fault is found: {fault}"), |shell| {
            found(&checked(&[&scripts().join("fault.py"), Path::new(fault), &example, &ours]), words, shell)
        });
    }
}

/// What takes the compiler's best code, and many calls.
fn unsanitized(steps: &mut Steps, python: &Python) {
    let prefix = format!("torch {}: ", python.torch);
    let built = steps.run(&format!("{prefix}build without the sanitizer"), |shell| {
        Ok((library("examples/identity_conv", python, shell)?, library(FAULTY, python, shell)?))
    });
    let Some((example, ours)) = built else { return };
    let script = |name: &str| {
        let mut command = Command::new(&python.interpreter);
        // With backtraces, a panic takes some ten thousand times as long.
        command.env("RUST_BACKTRACE", "0").arg(scripts().join(name));
        command
    };
    steps.run(&format!("{prefix}reference counts: success, error, panic"), |shell| {
        shell.run(script("counts.py").args([&example, &ours]))
    });
    steps.run(&format!("{prefix}memory stays flat"), |shell| shell.run(script("flat.py").args([&example, &ours])));
    steps.run(&format!("{prefix}a planted fault is found: memory that grows"), |shell| {
        let mut command = script("flat.py");
        command.args(["--fault", "leak"]).args([&example, &ours]);
        found(&command, &["AssertionError: leak: memory is not flat"], shell)
    });
}

fn scripts() -> PathBuf {
    repo::root().join("tests/sanitize")
}

fn target(python: &Python) -> PathBuf {
    repo::target().join("sanitize").join(format!("torch-{}", python.torch))
}

struct Built {
    /// What has to be loaded before Python.
    preload: String,
    example: PathBuf,
    faulty: PathBuf,
    /// The libraries that the tests load, and the variables that name them.
    tested: Vec<(&'static str, PathBuf)>,
}

fn build(python: &Python, shell: &Shell) -> Result<Built> {
    // The sanitizer looks for C++'s functions that throw as soon as it starts, and Python brings none.
    let preload = format!("{} {}", of_gcc("libasan.so", shell)?, of_gcc("libstdc++.so.6", shell)?);
    let target = target(python);
    let mut command = cargo();
    command
        .env("TORCHOP_PYTHON", &python.interpreter)
        .env("CARGO_TARGET_DIR", &target)
        // Stable rustc has the sanitizer, behind this variable.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address -Cforce-frame-pointers=yes -Cdebuginfo=1 -Cdebug-assertions=on")
        .env("CXX_x86_64_unknown_linux_gnu", "g++")
        .env("CXXFLAGS_x86_64_unknown_linux_gnu", "-fsanitize=address -fno-omit-frame-pointer -g1")
        .args(["build", "--release", "--target", TARGET]);
    let folder = target.join(TARGET).join("release");
    let mut path = |of: &str| -> Result<PathBuf> {
        let library = library_of(of)?;
        command.args(["--package", &library.package]);
        Ok(folder.join(library.file))
    };
    let faulty = path(FAULTY)?;
    let tested = TESTED.iter().map(|&(of, variable)| Ok((variable, path(of)?))).collect::<Result<Vec<_>>>()?;
    let example = path("examples/identity_conv")?;
    shell.run(&mut command)?;
    Ok(Built { preload, example, faulty, tested })
}

/// A library of g++'s own.
fn of_gcc(name: &str, shell: &Shell) -> Result<String> {
    let said = shell.run(Command::new("g++").arg(format!("-print-file-name={name}")))?;
    // g++ answers with the bare name if it has no such file.
    let path = Path::new(said.trim());
    if !path.is_absolute() {
        bail!(
            "g++ has no {name}: install its sanitizer runtime (on Debian and Ubuntu it comes with `apt install g++`, on \
             Fedora with `dnf install libasan`)"
        );
    }
    let path = path.canonicalize().with_context(|| format!("{}", path.display()))?;
    Ok(path.display().to_string())
}

/// Python with the sanitizer loaded. Leaks are looked for by `leak_checked.py`, not at exit.
fn sanitized_python(python: &Python, preload: &str) -> Command {
    let options = [
        "leak_check_at_exit=0",
        "detect_stack_use_after_return=1",
        "handle_abort=1",
        // Torch asks for too much memory now and then, and handles it.
        "allocator_may_return_null=1",
        // Several libraries hold the same bridge.
        "detect_odr_violation=0",
        // Names the library in each line.
        "stack_trace_format=\"#%n %p in %f %S (%m)\"",
    ];
    let mut command = Command::new(&python.interpreter);
    command
        .current_dir(repo::root())
        .env("LD_PRELOAD", preload)
        .env("ASAN_OPTIONS", options.join(":"))
        .env("LSAN_OPTIONS", format!("print_suppressions=0:suppressions={}", scripts().join("leaks.supp").display()))
        // Python's own allocator hides what it hands out.
        .env("PYTHONMALLOC", "malloc")
        .env("RUST_BACKTRACE", "0");
    command
}

/// Holds if the command fails and says all of the words.
fn found(command: &Command, words: &[&str], shell: &Shell) -> Result<()> {
    // Turned round: failure is what is wanted, and its whole output.
    let mut fails = Command::new("sh");
    fails.args(["-c", "! \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    fails.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    fails.current_dir(command.get_current_dir().unwrap_or(repo::root()));
    let said = shell.run(&mut fails).context("the fault was not found: the command succeeded")?;
    for word in words {
        ensure!(said.contains(word), "the command failed, but never said `{word}`");
        shell.say(&format!("it says: {word}"));
    }
    Ok(())
}
