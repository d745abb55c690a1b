//! A program without operators of its own: the example's library comes by path.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../given.rs"]
mod given;

use given::{Given, assert_close, assert_has, main as run, text};
use torchop::aoti::{Model, Options, load_library};
use torchop::prelude::*;

fn main() {
    run(&[
        ("torch's operators", torch_operators),
        ("numbers", numbers),
        ("without the library", without_the_library),
        ("library errors", library_errors),
        ("package errors", package_errors),
        ("declarations", declarations),
        ("inputs", inputs),
        ("views", views),
        ("metadata", metadata),
        ("results outlive the model", results_outlive_the_model),
    ]);
}

const X: &str = "x: float32[batch=0..=64, 3, 8, 8]";

fn net(given: &Given) -> Model {
    load_library(&given.library).unwrap();
    // SAFETY: the input that pytest exported it with.
    unsafe { Model::load(given.file("net.pt2"), &[X]).unwrap() }
}

fn load(given: &Given, inputs: &[&str]) -> Result<Model> {
    // SAFETY: such a model is not run.
    unsafe { Model::load(given.file("net.pt2"), inputs) }
}

/// No load hook has run here, which learns torch's tags.
fn torch_operators(given: &Given) {
    static ADD: TorchOp = TorchOp::new("aten::add", "Tensor");
    static ITEM: TorchOp = TorchOp::new("aten::item", "");
    static CAT: TorchOp = TorchOp::new("aten::cat", "");
    let x = given.tensor("net.x", &[2, 3, 8, 8]);
    let twice = ADD.call::<Tensor>((&x, &x, Scalar::Int(1))).unwrap();
    assert_close(&twice, &x.mul_scalar(2.0).unwrap());
    let one = CAT.call::<Tensor>((&[x.clone(), twice] as &[Tensor], 0i64)).unwrap();
    assert_eq!(one.sizes().unwrap()[..], [4, 3, 8, 8]);
    assert!(ITEM.call::<f64>((&x.sum().unwrap(),)).unwrap().is_finite());
    assert_has(
        &text(TorchOp::new("my_ops::identity_conv_op", "").call::<Tensor>((&x,))),
        &["my_ops::identity_conv_op"],
    );
    load_library(&given.library).unwrap();
    static IDENTITY: TorchOp = TorchOp::new("my_ops::identity_conv_op", "");
    assert_close(&IDENTITY.call::<Tensor>((&x,)).unwrap(), &x);
}

fn numbers(given: &Given) {
    let model = net(given);
    for batch in [1, 2, 64] {
        let name = if batch == 2 { "net".to_owned() } else { format!("net{batch}") };
        let y = model.run(&[&given.tensor(&format!("{name}.x"), &[batch, 3, 8, 8])]).unwrap();
        assert_eq!((y.len(), model.outputs().unwrap()), (1, 1));
        assert_close(&y[0], &given.tensor(&format!("{name}.y"), &[batch, 4, 8, 8]));
    }
}

fn without_the_library(given: &Given) {
    assert_has(&text(load(given, &[X])), &["net.pt2`: ", "my_ops.IdentityConvClass"]);
    // The process is as good as before.
    numbers(given);
}

fn library_errors(given: &Given) {
    assert_has(&text(load_library("/nowhere/libops.so")), &["cannot open `/nowhere/libops.so`"]);
    let no_library = given.file("no_library.so");
    std::fs::write(&no_library, "text").unwrap();
    assert_has(&text(load_library(&no_library)), &["no_library.so", "file too short"]);
    load_library(&given.library).unwrap();
    load_library(&given.library).unwrap();
    let copy = given.file("copy.so");
    std::fs::copy(&given.library, &copy).unwrap();
    let said = text(load_library(&copy));
    assert_has(&said, &["copy.so` is not loaded: ", given.library.file_name().unwrap().to_str().unwrap(), "my_ops::"]);
    numbers(given);
}

fn package_errors(given: &Given) {
    load_library(&given.library).unwrap();
    // SAFETY: nothing is there to be run.
    let load = |name: &str| unsafe { Model::load(given.file(name), &[X]) };
    assert_has(&text(load("nowhere.pt2")), &["nowhere.pt2`: ", "No such file"]);
    std::fs::write(given.file("no_package.pt2"), "text").unwrap();
    assert_has(&text(load("no_package.pt2")), &["no_package.pt2`: "]);
    // SAFETY: nothing is there to be run.
    let other = unsafe { Options::new().name("other").load(given.file("net.pt2"), &[X]) };
    assert_has(&text(other), &["net.pt2`: ", "other"]);
}

fn declarations(given: &Given) {
    load_library(&given.library).unwrap();
    assert_has(&text(load(given, &[])), &["net.pt2`: the package takes 1 tensors, and 0 are declared"]);
    assert_has(&text(load(given, &["x: float31[3]"])), &["there is no dtype `float31`"]);
    for (input, says) in [
        ("x: float64[batch, 3, 8, 8]", "input `x` (position 0): declared float64, compiled for float32"),
        ("x: float32[batch, 3, 8, width]", "dimension 3 was not dynamic at export; write 8 there"),
        ("x: float32[batch, 3, 8]", "declared with 3 dimensions, compiled for more"),
        ("x: float32[2, 3, 8, 8] channels_last", "compiled for stride 64 in dimension 1, which a channels_last"),
    ] {
        // The stride of a batch is the same in both orders.
        let says =
            if input.ends_with("last") { "compiled for stride 64 in dimension 1, which a channels_last" } else { says };
        assert_has(&text(load(given, &[input])), &[says]);
    }
    assert_eq!(load(given, &[X]).unwrap().inputs()[0].name, "x");
}

fn inputs(given: &Given) {
    let model = net(given);
    let zeros = |sizes: &[i64], dtype| Tensor::zeros(sizes, dtype).unwrap();
    let good = zeros(&[2, 3, 8, 8], DType::Float32);
    let said = |inputs: &[&Tensor]| text(model.run(inputs));
    assert_eq!(said(&[]), "expected 1 inputs (x), got 0");
    assert_eq!(said(&[&good, &good]), "expected 1 inputs (x), got 2");
    assert_eq!(said(&[&zeros(&[2, 3, 8, 8], DType::Float64)]), "input `x` (position 0): expected float32, got float64");
    assert_eq!(
        said(&[&zeros(&[2, 3, 8, 9], DType::Float32)]),
        "input `x` (position 0): expected size 8 in dimension 3, got 9"
    );
    assert_eq!(
        said(&[&zeros(&[2, 3], DType::Float32)]),
        "input `x` (position 0): expected 4 dimensions, got 2 (sizes [2, 3])"
    );
    assert_eq!(
        said(&[&zeros(&[65, 3, 8, 8], DType::Float32)]),
        "input `x` (position 0): expected `batch` in 0..=64 in dimension 0, got 65"
    );
    assert_eq!(
        said(&[&good.transpose(2, 3).unwrap()]),
        "input `x` (position 0): expected a contiguous tensor, got strides [192, 64, 1, 8]; write `.contiguous()?`"
    );
    let expanded = zeros(&[1, 3, 8, 8], DType::Float32).expand(&[2, 3, 8, 8]).unwrap();
    assert_has(&said(&[&expanded]), &["expected a contiguous tensor"]);
    let meta = Tensor::zeros(&[2, 3, 8, 8], (DType::Float32, Device::META)).unwrap();
    assert_has(&said(&[&meta]), &["input `x` (position 0): expected a strided tensor with memory"]);
    static RESIZE: TorchOp = TorchOp::new("aten::resize_", "");
    let mut grown = good.deep_clone().unwrap();
    assert!(RESIZE.call::<Tensor>((&mut grown, &[1_i64 << 48, 3, 8, 8][..])).is_err());
    model.run(&[&grown]).unwrap(); // as before
    assert_eq!(text(model.run_named(&[("y", &good)])), "there is no input `y`; expected `x`");
    assert_eq!(text(model.run_named(&[("x", &good), ("x", &good)])), "input `x` is given twice");
    assert_eq!(text(model.run_named(&[])), "input `x` is not given");
    model.run_named(&[("x", &good)]).unwrap();
}

fn views(given: &Given) {
    let model = net(given);
    let x = given.tensor("net.x", &[2, 3, 8, 8]);
    let view = x.view::<f32>().unwrap();
    assert_has(&text(model.run(&[&x])), &["input `x` is in use: it is borrowed for reading at ", "plain.rs:"]);
    drop(view);
    assert_close(&model.run(&[&x]).unwrap()[0], &given.tensor("net.y", &[2, 4, 8, 8]));
}

fn metadata(given: &Given) {
    let model = net(given);
    assert_eq!(model.metadata()["AOTI_DEVICE_KEY"], "cpu");
    assert_eq!(model.metadata()["answer"], "42");
    assert!(model.call_spec().0.contains("builtins.tuple"), "{:?}", model.call_spec());
    // The bias is small, and so compiled into the code.
    assert_eq!(model.constants().unwrap(), ["conv.weight"]);
}

fn results_outlive_the_model(given: &Given) {
    let model = net(given);
    let y = model.run(&[&given.tensor("net.x", &[2, 3, 8, 8])]).unwrap();
    drop(model);
    assert_close(&y[0], &given.tensor("net.y", &[2, 4, 8, 8]));
}
