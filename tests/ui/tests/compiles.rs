//! What must compile: checked, not linked, so that no libtorch is needed.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All of `pass/`.
#[test]
fn all_of_pass() {
    let mut targets = String::new();
    for entry in std::fs::read_dir(here().join("pass")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        writeln!(targets, "[[bin]]\nname = {name:?}\npath = {path:?}\n").unwrap();
    }
    assert!(check("pass", "2024", &targets, None).unwrap());
}

/// `pass/hygiene.rs` in every edition, under clippy, as a library: lints look at what is reachable.
#[test]
fn hygiene_in_every_edition() {
    let text = std::fs::read_to_string(here().join("pass/hygiene.rs")).unwrap().replace("fn main() {}", "");
    for edition in ["2018", "2021", "2024"] {
        assert!(check("hygiene", edition, "", Some(&text)).unwrap(), "edition {edition}");
    }
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs clippy on a crate that depends on torchop, in a folder of its own.
fn check(name: &str, edition: &str, targets: &str, library: Option<&str>) -> std::io::Result<bool> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("src"))?;
    if let Some(text) = library {
        std::fs::write(folder.join("src/lib.rs"), text)?;
    }
    let torchop = here().join("../../torchop");
    let manifest = format!(
        "[package]\nname = {name:?}\nedition = {edition:?}\n\n{targets}\n\
         [dependencies]\ntorchop = {{ path = {torchop:?}, features = [\"cuda\"] }}\n\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(here().join("../../Cargo.lock"), folder.join("Cargo.lock"))?;
    Command::new(env!("CARGO"))
        .args(["clippy", "--quiet", "--offline", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"))
        .env("TORCHOP_NO_TORCH", "1")
        .status()
        .map(|status| status.success())
}
