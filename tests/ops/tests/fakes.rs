//! Every fake of the test crate says what its kernel does, over layouts; in a plain `cargo test` without Python.

#![allow(clippy::unwrap_used, missing_docs)]

use torchop::check::fake_agrees;
use torchop::prelude::*;
use torchop_test_ops::calls::{ones, ones_like};

const NO_TENSOR: Option<&Tensor> = None;

fn x() -> Tensor {
    ones(&[2, 3, 4, 5]).unwrap()
}

fn square() -> Tensor {
    ones(&[4, 4]).unwrap()
}

macro_rules! agree {
    ($($test:ident: $op:literal $arguments:expr;)*) => {$(
        #[test]
        fn $test() {
            let compared = fake_agrees(concat!("test_", $op), $arguments).unwrap();
            assert!(compared.len() > 3, "{compared:?}");
        }
    )*};
}

agree! {
    product: "ops::product" (&x(), &x());
    affine: "ops::affine" (&x(), Some(&x()), 2.0, 1_i64);
    affine_without: "ops::affine" (&x(), NO_TENSOR, 2.0, 1_i64);
    two_optional: "ops::two_optional" (&x(), Some(&x()), NO_TENSOR);
    two_results: "ops::two_results" (&x(),);
    two_results_lazily: "ops::two_results_lazily" (&x(),);
    exponential: "ops::exponential" (&x(),);
    sum_list: "ops::sum_list" (&[&x(), &x()][..], &[1.0, 2.0][..]);
    sum_lists: "ops::sum_lists" (&[&x()][..], &[&x()][..]);
    sum_optional_list: "ops::sum_optional_list" (vec![Some(&x()), None],);
    no_backward: "ops::no_backward" (&x(),);
    keyed: "ops::keyed" (&x(), "a", &[1_i64][..], true, None::<f64>);
    matmul: "ops::matmul" (&square(), &square());
    pieces: "ops::pieces" (&x(), 7_i64);
    head: "ops::head" (&x(), 1_i64);
    doubled: "ops::doubled_if" (&x(), true);
    not_doubled: "ops::doubled_if" (&x(), false);
    scaled_by: "ops::scaled_by" (&x(), 2.0);
    cube: "ops::cube" (&x(),);
    apply_matrix: "ops::apply_matrix" (&square(), &ones(&[4]).unwrap());
    mixture: "ops::mixture" (&x(), &[&x()][..], 2.0);
    signs: "ops::signs" (&x(),);
    halves: "ops::halves" (&x(),);
    times_sum: "ops::times_sum" (&x(),);
    times_sum_backward: "ops::times_sum_backward" (&x(), &x());
    weighted: "ops::weighted" (&x(), &x(), 2.0);
    weighted_backward: "ops::weighted_backward" (&x(), &x(), &x(), 2.0, true);
    mm_low: "ops::mm_low" (&square(), &square());
    mm_plain: "ops::mm_plain" (&square(), &square());
    nonzero_rows: "ops::nonzero_rows" (&x(),);
    split_at: "ops::split_at" (&x(), 0.5);
    distinct: "ops::distinct" (&x(),);
    nms: "ops::nms" (&square(), &ones(&[4]).unwrap(), 0.5);
    dropout: "ops::dropout" (&x(), 0.5, None::<Generator>);
    own_draw: "ops::own_draw" (&x(), None::<Generator>);
    fresh: "ops::alias" (&x(), "fresh");
    view_of_fresh: "ops::alias" (&x(), "view of fresh");
    add_and_copy: "types::add_and_copy" (&x(), &x(), 1.0);
}

#[test]
fn without_tensors() {
    assert_eq!(fake_agrees("test_ops::countdown", (5_i64, None::<Device>)).unwrap(), ["as given"]);
}

/// What the check finds.
#[test]
fn what_differs_is_told() {
    let told = |how: &str| fake_agrees("test_ops::wrong_fake", (&x(), how)).unwrap_err().message().to_owned();
    assert!(told("sizes").contains("as given: result 0 has sizes [2, 3, 4, 5] from the kernel, [5] from the fake"));
    assert!(told("dtype").contains("as given: result 0 has dtype Float from the kernel, Long from the fake"));
    let strides = told("strides");
    assert!(!strides.contains("as given") && strides.contains("\ntransposed: result 0 has strides"), "{strides}");
    assert!(told("fails").contains("as given: the kernel runs, and the fake fails: "), "{}", told("fails"));
    assert!(told("list").contains("from the fake"));
    assert!(fake_agrees("test_ops::wrong_fake", (&x(),)).is_err());
    assert!(fake_agrees("test_ops::alias", (&x(), "input")).is_err());
    assert!(ones_like(&x()).is_ok());
}
