//! The repository's own commands. A verb is one file with `Args` and `run`.

mod bench;
mod cargo;
mod cuda;
mod demo;
mod matrix;
mod repo;
mod sanitize;
mod shell;
mod steps;
mod test;
mod venv;

use std::process::ExitCode;

use clap::Parser;

/// torchop's own commands
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Verb {
    Bench(bench::Args),
    Cuda(cuda::Args),
    Demo(demo::Args),
    Matrix(matrix::Args),
    Sanitize(sanitize::Args),
    Test(test::Args),
}

fn main() -> ExitCode {
    let result = match Verb::parse() {
        Verb::Bench(args) => bench::run(args),
        Verb::Cuda(args) => cuda::run(args),
        Verb::Demo(args) => demo::run(args),
        Verb::Matrix(args) => matrix::run(args),
        Verb::Sanitize(args) => sanitize::run(args),
        Verb::Test(args) => test::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The table has said it, and its count is the last line.
        Err(error) if error.is::<steps::StepsFailed>() => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
