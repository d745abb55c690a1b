//! Compiles the bridge against the torch that torchop-build finds, and links to it.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=TORCHOP_NO_TORCH");
    let out = env::var("OUT_DIR").unwrap_or_default();
    let fields = Path::new(&out).join("fields.rs");
    if torchop_build::no_torch() {
        write(&fields, "None");
        return; // checked without libtorch: nothing to compile, nothing to link
    }
    let torch = torchop_build::torch_or_exit();
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=src/lib.rs");
    let mut build = cxx_build::bridge("src/lib.rs");
    for flag in torch.cxx_flags() {
        build.flag(&flag);
    }
    // The bridge is in every call: it is optimised in every profile.
    // Debug information about torch's headers would be nine tenths of every user's library.
    build.debug(false).opt_level(2);
    match found_fields(build.get_compiler().to_command(), &out) {
        Ok(found) => write(&fields, &format!("Some({})", found.trim())),
        Err(why) => {
            println!("cargo::warning=sizes and strides are asked through the bridge, at a few ns each: {why}");
            write(&fields, "None");
        }
    }
    build.files(["cpp/typed_calls.cpp", "cpp/fields.cpp"]).compile("torchop_bridge");
    torchop_build::link(&torch);
}

/// Where a tensor's fields lie, as Rust: what cpp/fields_probe.cpp prints, compiled as the bridge is.
fn found_fields(mut compiler: Command, out: &str) -> Result<String, String> {
    if env::var("HOST") != env::var("TARGET") {
        return Err("a program for another machine cannot be run here".to_owned());
    }
    let program = Path::new(out).join("fields_probe");
    // Sanitizers want the library's symbols, and change no layout.
    compiler.args(["-fno-sanitize=all", "cpp/fields_probe.cpp", "-o"]).arg(&program);
    output(&mut compiler)?;
    output(&mut Command::new(&program))
}

fn output(command: &mut Command) -> Result<String, String> {
    let ran = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !ran.status.success() {
        return Err(format!(
            "{command:?}: {}: {}",
            ran.status,
            String::from_utf8_lossy(&ran.stderr).replace('\n', " ")
        ));
    }
    String::from_utf8(ran.stdout).map_err(|error| error.to_string())
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        println!("cargo::error={}: {error}", path.display());
    }
}
