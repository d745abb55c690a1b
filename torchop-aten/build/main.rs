//! Writes a function for each operator that the found torch has.

use std::path::Path;
use std::{env, fs, process};

mod function;
mod headers;
mod module;
mod names;
mod types;

fn main() {
    println!("cargo::rerun-if-env-changed=TORCHOP_NO_TORCH");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-check-cfg=cfg(without_torch)");
    let schemas = if torchop_build::no_torch() {
        println!("cargo::rustc-cfg=without_torch");
        Vec::new()
    } else {
        let torch = torchop_build::torch_or_exit();
        headers::schemas(&torch.include_dirs[0]).unwrap_or_else(|error| fail(&error))
    };
    let out = env::var_os("OUT_DIR").unwrap_or_else(|| fail("OUT_DIR is not set"));
    let file = Path::new(&out).join("functions.rs");
    let written = fs::write(&file, module::text(&schemas));
    written.unwrap_or_else(|error| fail(&format!("cannot write {}: {error}", file.display())));
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    process::exit(1)
}
