//! identity_conv_host MODEL.pt2 X.f32 Y.f32: runs the package on the numbers in X.f32, compares with what Python saw.
//!
//! The operators are linked in. As a file, they would come by `torchop::aoti::load_library("libidentity_conv_ops.so")`.

use identity_conv_ops as _;
use torchop::aoti::Model;
use torchop::prelude::*;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, x, expected] = arguments.as_slice() else {
        return Err(Error::value("usage: identity_conv_host MODEL.pt2 X.f32 Y.f32"));
    };
    // SAFETY: walk/package.py exported the model with such an input.
    let model = unsafe { Model::load(model, &["x: float32[batch=1..=64, 3, 8, 8]"])? };
    let y = model.run(&[&read(x, &[2, 3, 8, 8])?])?.remove(0);
    println!("- model.pt2 in Rust: y = {}", first(&y)?);

    let expected = read(expected, &[2, 8, 8, 8])?;
    let (y, seen) = (y.view::<f32>()?, expected.view::<f32>()?);
    let is_same =
        y.shape() == seen.shape() && y.iter().zip(&*seen).all(|(a, b)| (a - b).abs() <= 1e-5 + 1e-4 * b.abs());
    let python = std::fs::read_to_string("/proc/self/maps")?
        .lines()
        .any(|line| line.contains("libpython") || line.contains("libtorch_python"));
    match (is_same, python) {
        (true, false) => println!("- the numbers that Python saw; neither libpython nor libtorch_python is mapped"),
        (false, _) => return Err(Error::runtime("other numbers than Python's")),
        (_, true) => return Err(Error::runtime("Python is mapped")),
    }
    Ok(())
}

/// Little-endian numbers.
fn read(file: &str, sizes: &[i64]) -> Result<Tensor> {
    let bytes = std::fs::read(file)?;
    let numbers = bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
    Tensor::from_vec::<f32>(numbers, sizes)
}

fn first(y: &Tensor) -> Result<String> {
    let numbers: Vec<String> = y.view::<f32>()?.iter().take(4).map(|number| format!("{number:.4}")).collect();
    Ok(format!("{}, …", numbers.join(", ")))
}
