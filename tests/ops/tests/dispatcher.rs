//! Ops called by name from Rust, in a plain `cargo test` without Python: by way of the dispatcher, with gradients.

#![allow(clippy::unwrap_used, missing_docs)]

use torchop::prelude::*;
use torchop_test_ops::autograd::{affine, exponential, product, tap, tapped, two_results};
use torchop_test_ops::calls::{in_python, ones, ones_like};

static ITEM: TorchOp = TorchOp::new("aten::item", "");
static REQUIRES_GRAD: TorchOp = TorchOp::new("aten::requires_grad_", "");
// SAFETY: `Tensor.backward` checks what it is given.
static BACKWARD: TorchOp = unsafe { TorchOp::private("aten::_backward", "") };

fn values(x: &Tensor) -> f64 {
    ITEM.call::<f64>((&x.sum().unwrap(),)).unwrap()
}

fn wants_grad(sizes: &[i64], value: f64) -> Tensor {
    REQUIRES_GRAD.call::<Tensor>((&ones(sizes).unwrap().mul_scalar(value).unwrap(), true)).unwrap()
}

/// The sum of the gradient of `f(x)`, where `x` holds three times `value`, by torch's own `Tensor.backward`.
fn gradient(value: f64, f: impl Fn(&Tensor) -> Result<Tensor>) -> f64 {
    let y = f(&tap(&wants_grad(&[3], value)).unwrap()).unwrap().sum().unwrap();
    BACKWARD.call::<()>((&y, &[] as &[Tensor], None::<&Tensor>, None::<bool>, false)).unwrap();
    values(&tapped().unwrap())
}

#[test]
fn an_ops_name_calls_the_op() {
    let x = ones(&[2, 3]).unwrap().mul_scalar(2.0).unwrap();
    assert_eq!(values(&product(&x, &x).unwrap()), 24.0);
    let (a, b) = two_results(&x).unwrap();
    assert_eq!((values(&a), values(&b)), (36.0, 24.0));
    assert_eq!(values(&affine(&x, None, 3.0, 1).unwrap()), 36.0);
    assert_eq!(values(&affine(&x, Some(&x), 3.0, 1).unwrap()), 48.0);
}

#[test]
fn gradients_flow_through_ops_called_from_rust() {
    assert!((gradient(0.5, |x| product(x, x)) - 3.0).abs() < 1e-5);
    assert!((gradient(0.5, exponential) - 3.0 * 0.5_f64.exp()).abs() < 1e-4);
    assert!((gradient(2.0, |x| affine(&affine(x, None, 3.0, 1)?, Some(x), 2.0, 1)) - 21.0).abs() < 1e-4);
}

#[test]
fn the_written_body_is_the_kernel() {
    let x = wants_grad(&[2], 1.0);
    assert!(product(&x, &x).unwrap().requires_grad().unwrap());
    assert_eq!(values(&product::kernel(&x, &x).unwrap()), 2.0);
}

#[test]
fn errors_of_the_dispatcher_are_errs() {
    let x = ones(&[2]).unwrap();
    let error = in_python(&x).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotImplemented);
    assert!(error.message().contains("test_ops::in_python"), "{error}");
    let error = x.reshape(&[7]).unwrap_err();
    assert_eq!(error.message(), "shape '[7]' is invalid for input of size 2");
    assert!(error.location().file().ends_with("dispatcher.rs"), "{}", error.location());
}

#[test]
fn tensors_are_counted_references() {
    let x = ones(&[2]).unwrap();
    let y = x.clone();
    drop(x);
    assert_eq!(values(&y), 2.0);
    assert_eq!(format!("{y:?}"), "Tensor[2] float32 cpu");
    assert_eq!(values(&ones_like(&y).unwrap()), 2.0);
}

#[test]
fn threads_share_tensors_and_ops() {
    let x = ones(&[64]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(values(&product(&x, &x).unwrap()), 64.0);
                }
            });
        }
    });
}
