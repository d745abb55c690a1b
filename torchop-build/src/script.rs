//! The half for build scripts: what they print for cargo, and how they end.

use std::path::{Path, PathBuf};
use std::process::exit;
use std::{env, fs, io};

use crate::env::no_torch;
use crate::package::Torch;
use crate::search::find;
use crate::version::supported;

/// The torch to build against; tells cargo what to watch. Without one, the build script ends here with the message.
pub fn torch_or_exit() -> Torch {
    println!("cargo::rerun-if-env-changed=TORCHOP_NO_TORCH");
    let torch = find().unwrap_or_else(|error| fail(&error.to_string()));
    for line in watch(&torch) {
        println!("{line}");
    }
    if torch.version.is_untested() {
        println!("cargo::warning=torch {} is newer than torchop is tested with ({})", torch.version, supported());
    }
    torch
}

/// Links the crate, and every library made from it, to `libtorch_cpu` and `libc10`.
///
/// `cargo test`, `cargo run` and doctests find them without `LD_LIBRARY_PATH`, and no path of this machine gets into what is built:
/// cargo itself adds folders below its target folder to the library path of what it runs, so one is made there.
pub fn link(torch: &Torch) {
    let folder = lib_in_out_dir(torch).unwrap_or_else(|error| fail(&error));
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=torch_cpu");
    println!("cargo::rustc-link-lib=dylib=c10");
}

/// The whole build script of a Rust program that is run by itself: `fn main() { torchop_build::link_program(); }`.
///
/// It writes the folder of libtorch into the package's programs, so that they find it without `LD_LIBRARY_PATH`, and links them
/// to `libtorch`, which AOTInductor packages want (`torchop::aoti` opens it otherwise when it loads the first one).
pub fn link_program() {
    if no_torch() {
        return;
    }
    let torch = torch_or_exit();
    let lib = torch.lib_dir.display();
    println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{lib}");
    println!("cargo::rustc-link-arg-bins=-Wl,--no-as-needed,-L{lib},-ltorch,--as-needed");
}

/// Only variables that the search came to are watched: `PATH` has no say where `VIRTUAL_ENV` decided, and differs between editor and shell.
fn watch(torch: &Torch) -> Vec<String> {
    let variables = torch.variables.iter().map(|name| format!("cargo::rerun-if-env-changed={name}"));
    let files = torch.watched.iter().map(|file| format!("cargo::rerun-if-changed={}", file.display()));
    variables.chain(files).collect()
}

fn lib_in_out_dir(torch: &Torch) -> Result<PathBuf, String> {
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set; `torchop_build::link` is for build scripts")?;
    let link = Path::new(&out).join("lib");
    replace_link(&torch.lib_dir, &link).map_err(|error| format!("cannot make {}: {error}", link.display()))?;
    Ok(link)
}

/// One link to the whole folder, not one for each file: torch's libraries look for their mates in `$ORIGIN` and `$ORIGIN/../../nvidia/…`.
/// The loader takes `$ORIGIN` from the path as it was given, and the system resolves `..` behind a linked folder in the real place.
fn replace_link(target: &Path, link: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|present| present == target) {
        return Ok(());
    }
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::os::unix::fs::symlink(target, link)
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_is_kept_renewed_and_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new, link) = (folder.path().join("old"), folder.path().join("new"), folder.path().join("lib"));
        for place in [&old, &new] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("libc10.so"), place.to_str().unwrap()).unwrap();
        }
        for target in [&old, &old, &new] {
            replace_link(target, &link).unwrap();
            assert_eq!(fs::read_to_string(link.join("libc10.so")).unwrap(), target.to_str().unwrap());
        }
        assert!(old.join("libc10.so").is_file());
    }
}
