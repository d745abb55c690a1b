//! A program that is linked with its operators.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../given.rs"]
mod given;

use given::{Given, assert_close, assert_has, main as run, text};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;
use torchop::aoti::{Model, Options};
use torchop::prelude::*;
use torchop_host_tests::{Other, Scale};

fn main() {
    run(&[
        ("several results", several_results),
        ("by name", by_name),
        ("sizes that belong together", sizes_that_belong_together),
        ("threads", threads),
        ("weights", weights),
        ("wrong weights", wrong_weights),
        ("weights in turn", weights_in_turn),
        ("constants that are returned", constants_that_are_returned),
        ("a failing operator", a_failing_operator),
        ("objects", objects),
    ]);
}

const INPUTS: [&str; 2] = ["x: float32[batch, 3]", "mask: float32[batch]"];

fn load(given: &Given, options: Options) -> Model {
    // SAFETY: the inputs that pytest exported it with.
    unsafe { options.load(given.file("two.pt2"), &INPUTS).unwrap() }
}

fn check(given: &Given, results: &[Tensor], updated: &str) {
    assert_eq!(results.len(), 4);
    assert_close(&results[0], &given.tensor(&format!("two.y{updated}"), &[5, 4]));
    assert_close(&results[1], &given.tensor(&format!("two.sum{updated}"), &[]));
    assert_close(&results[2], &given.tensor(&format!("two.weight{updated}"), &[3, 4]));
    assert_close(&results[3], &given.tensor("two.triple", &[5, 3]));
}

fn several_results(given: &Given) {
    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
    check(given, &load(given, Options::new()).run(&[&x, &mask]).unwrap(), "");
}

fn by_name(given: &Given) {
    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
    check(given, &load(given, Options::new()).run_named(&[("mask", &mask), ("x", &x)]).unwrap(), "");
}

fn sizes_that_belong_together(given: &Given) {
    let (x, mask) = (given.tensor("two.x", &[5, 3]), Tensor::zeros(&[2], DType::Float32).unwrap());
    assert_eq!(
        text(load(given, Options::new()).run(&[&x, &mask])),
        "input `mask` (position 1): expected size 5 in dimension 0 (`batch` is 5 by input `x`), got 2"
    );
}

fn threads(given: &Given) {
    for options in [Options::new(), Options::new().runners(4), Options::new().single_threaded()] {
        let model = load(given, options);
        scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
                    for _ in 0..50 {
                        check(given, &model.run(&[&x, &mask]).unwrap(), "");
                    }
                });
            }
        });
    }
    // And loads at the same time.
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| several_results(given));
        }
    });
}

fn weights(given: &Given) {
    let model = load(given, Options::new());
    // The shift is small, and so compiled into the code.
    assert_eq!(model.constants().unwrap(), ["weight"]);
    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
    check(given, &model.run(&[&x, &mask]).unwrap(), "");
    let new = given.tensor("two.new", &[3, 4]);
    model.update_constants(&[("weight", &new)]).unwrap();
    check(given, &model.run(&[&x, &mask]).unwrap(), ".updated");
    // The values were copied, and in the order of the old ones.
    drop(new);
    let turned = given.tensor("two.new", &[3, 4]).transpose(0, 1).unwrap().contiguous().unwrap();
    model.update_constants(&[("weight", &turned.transpose(0, 1).unwrap())]).unwrap();
    check(given, &model.run(&[&x, &mask]).unwrap(), ".updated");
    // A part of more memory than the weight has.
    let large = Tensor::zeros(&[1000, 4], DType::Float32).unwrap();
    let mut part = large.slice(0, Some(500), Some(503), 1).unwrap();
    part.copy_(&turned.transpose(0, 1).unwrap()).unwrap();
    model.update_constants(&[("weight", &part)]).unwrap();
    check(given, &model.run(&[&x, &mask]).unwrap(), ".updated");
}

fn wrong_weights(given: &Given) {
    let model = load(given, Options::new());
    let zeros = |sizes: &[i64], dtype| Tensor::zeros(sizes, dtype).unwrap();
    let (good, large) = (zeros(&[3, 4], DType::Float32), zeros(&[300, 400], DType::Float32));
    let said = |values: &[(&str, &Tensor)]| text(model.update_constants(values));
    assert_has(&said(&[("weight", &good), ("wait", &good)]), &["there is no constant `wait`"]);
    assert_has(&said(&[("weight", &large)]), &["constant `weight` has the sizes [3, 4], got [300, 400]"]);
    assert_has(&said(&[("weight", &zeros(&[3, 4], DType::Float64))]), &["constant `weight` is Float, got Double"]);
    assert_has(&said(&[("weight", &good), ("weight", &good)]), &["constant `weight` is given twice"]);
    let mut held = good.clone();
    let view = held.view_mut::<f32>().unwrap();
    assert_has(&said(&[("weight", &good)]), &["the new value of `weight` is in use"]);
    drop(view);
    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
    check(given, &model.run(&[&x, &mask]).unwrap(), "");
}

/// Each run sees the old weights or the new ones.
fn weights_in_turn(given: &Given) {
    let model = load(given, Options::new().runners(2));
    let (old, new) = (given.tensor("two.old", &[3, 4]), given.tensor("two.new", &[3, 4]));
    let (done, seen) = (AtomicBool::new(false), [AtomicUsize::new(0), AtomicUsize::new(0)]);
    scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
                while !done.load(Ordering::Relaxed) {
                    let results = model.run(&[&x, &mask]).unwrap();
                    let first = results[2].view::<f32>().unwrap()[[0, 0]];
                    let is_new = (first - new.view::<f32>().unwrap()[[0, 0]]).abs() < 1e-6;
                    check(given, &results, if is_new { ".updated" } else { "" });
                    seen[usize::from(is_new)].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while seen.iter().any(|count| count.load(Ordering::Relaxed) < 20) {
            model.update_constants(&[("weight", &new)]).unwrap();
            std::thread::yield_now();
            model.update_constants(&[("weight", &old)]).unwrap();
            std::thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// What is returned is a copy: neither new weights nor the end of the model change it.
fn constants_that_are_returned(given: &Given) {
    let model = load(given, Options::new());
    let (x, mask) = (given.tensor("two.x", &[5, 3]), given.tensor("two.mask", &[5]));
    let first = model.run(&[&x, &mask]).unwrap();
    model.update_constants(&[("weight", &given.tensor("two.new", &[3, 4]))]).unwrap();
    let second = model.run(&[&x, &mask]).unwrap();
    model.update_constants(&[("weight", &Tensor::zeros(&[3, 4], DType::Float32).unwrap())]).unwrap();
    check(given, &first, "");
    check(given, &second, ".updated");
    drop(model);
    check(given, &first, "");
    check(given, &second, ".updated");
}

fn a_failing_operator(given: &Given) {
    // SAFETY: the input that pytest exported it with.
    let model = unsafe { Model::load(given.file("panics.pt2"), &["x: float32[3]"]).unwrap() };
    for _ in 0..3 {
        let said = text(model.run(&[&Tensor::zeros(&[3], DType::Float32).unwrap()]));
        // Torch 2.11 keeps what the operator says from its caller.
        assert!(said.contains("host_ops::panics") || said.starts_with("result 0 is missing"), "{said}");
    }
    several_results(given);
}

/// Those of the model itself, by class: what is changed in one shows in the next run.
fn objects(given: &Given) {
    // SAFETY: the input that pytest exported it with.
    let model = unsafe { Model::load(given.file("objects.pt2"), &["x: float32[3]"]).unwrap() };
    let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3]).unwrap();
    // x * 2 + x * 3, by two objects; x * 5 by one on torch 2.11.
    assert_close(&model.run(&[&x]).unwrap()[0], &x.mul_scalar(5.0).unwrap());
    let found = match model.objects::<Scale>() {
        Ok(found) => found,
        Err(error) => {
            assert!(error.kind() == ErrorKind::NotImplemented && given.file("keeps_objects").exists(), "{error}");
            return;
        }
    };
    assert!(!given.file("keeps_objects").exists());
    let factors: Vec<f64> = found.iter().map(|(_, scale)| scale.get().unwrap().factor).collect();
    assert_eq!((found.len(), factors.iter().sum::<f64>(), factors.iter().product::<f64>()), (2, 5.0, 6.0));
    assert!(found[0].0 < found[1].0);
    found[0].1.get_mut().unwrap().factor = 10.0;
    let rest = factors[1];
    assert_close(&model.run(&[&x]).unwrap()[0], &x.mul_scalar(10.0 + rest).unwrap());
    // Another model has objects of its own.
    // SAFETY: as above.
    let other = unsafe { Model::load(given.file("objects.pt2"), &["x: float32[3]"]).unwrap() };
    assert_close(&other.run(&[&x]).unwrap()[0], &x.mul_scalar(5.0).unwrap());
    assert!(!model.objects::<Scale>().unwrap()[0].1.is_same(&other.objects::<Scale>().unwrap()[0].1));
    assert!(model.objects::<Other>().unwrap().is_empty());
    // They outlive the model.
    drop((model, other));
    assert_eq!(found[0].1.get().unwrap().factor, 10.0);
}
