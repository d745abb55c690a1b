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
    assert!(check("pass", "torchop", "2024", &targets, None).unwrap());
}

/// `pass/hygiene.rs` in every edition, under clippy, as a library: lints look at what is reachable.
#[test]
fn hygiene_in_every_edition() {
    let text = std::fs::read_to_string(here().join("pass/hygiene.rs")).unwrap().replace("fn main() {}", "");
    for edition in ["2018", "2021", "2024"] {
        assert!(check("hygiene", "torchop", edition, "", Some(&text)).unwrap(), "edition {edition}");
    }
}

/// Where the dependency has another name, `crate = path` leads to it.
#[test]
fn a_dependency_of_another_name() {
    let text = "#![forbid(unsafe_code)]\n#![deny(warnings)]\n//! Docs.\n".to_owned() + RENAMED;
    assert!(check("renamed", "other_name", "2024", "", Some(&text)).unwrap());
}

const RENAMED: &str = r#"
use other_name::{FakeTensor, Result, Tensor, TorchEnum, TorchTuple, torch_class, torch_op};

#[torch_op(schema = "my_ops::f(Tensor x, str way, (int, float) pair) -> Tensor", cpu, crate = other_name)]
fn f(x: &Tensor, way: Way, pair: Pair) -> Result<Tensor> {
    let _ = (way, pair.0, pair.1);
    x.empty_like()
}

#[torch_op(fake_of = f, crate = ::other_name)]
fn f_fake(x: &FakeTensor, _way: Way, _pair: Pair) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = f, crate = other_name)]
fn f_backward(grad_output: &Tensor, way: Way) -> Result<Tensor> {
    let _ = way;
    grad_output.empty_like()
}

#[derive(TorchEnum)]
#[torch(crate = other_name)]
enum Way {
    There,
    Back,
}

#[derive(TorchTuple)]
#[torch(crate = other_name)]
struct Pair(i64, f64);

#[torch_class(name = "my_ops::Kept", pickle, flatten, crate = other_name)]
struct Kept {
    weight: Tensor,
}

#[torch_class(crate = other_name)]
impl Kept {
    #[init]
    fn new(weight: &Tensor) -> Self {
        Kept { weight: weight.clone() }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let _ = &self.weight;
        x.empty_like()
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}
"#;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs clippy on a crate that depends on torchop under that name, in a folder of its own.
fn check(name: &str, dependency: &str, edition: &str, targets: &str, library: Option<&str>) -> std::io::Result<bool> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("src"))?;
    if let Some(text) = library {
        std::fs::write(folder.join("src/lib.rs"), text)?;
    }
    let torchop = here().join("../../torchop");
    let manifest = format!(
        "[package]\nname = {name:?}\nedition = {edition:?}\n\n{targets}\n\
         [dependencies]\n{dependency} = {{ package = \"torchop\", path = {torchop:?}, features = [\"cuda\"] }}\n\n[workspace]\n"
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
