//! Attempts to get at one memory twice, by safe code alone: each is an error, none is undefined behaviour.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use torchop::prelude::*;
use torchop_test_ops::calls::ones;

static ADD: TorchOp = TorchOp::new("aten::add_", "Scalar");
static RESIZE: TorchOp = TorchOp::new("aten::resize_", "");
static SET: TorchOp = TorchOp::new("aten::set_", "source_Tensor");
static SELECT: TorchOp = TorchOp::new("aten::select", "int");
static FOREACH: TorchOp = TorchOp::new("aten::_foreach_add_", "Scalar");
static COPY: TorchOp = TorchOp::new("aten::copy_", "");
static SUM_OUT: TorchOp = TorchOp::new("aten::cumsum", "out");

fn message<T>(result: Result<T>) -> String {
    result.err().expect("an error").message().to_owned()
}

fn refused<T>(result: Result<T>) {
    let text = message(result);
    assert!(text.contains("is borrowed for"), "{text}");
}

fn total(x: &Tensor) -> f32 {
    x.view::<f32>().unwrap().sum()
}

#[test]
fn readers_share_and_a_writer_is_alone() {
    let mut x = ones(&[4]).unwrap();
    let (mut same, view) = (x.clone(), x.as_strided(&[2], &[1], 1).unwrap());
    {
        let (a, b, c) = (x.view::<f32>().unwrap(), same.view::<f32>().unwrap(), view.as_slice::<f32>().unwrap());
        assert_eq!(a.sum() + b.sum() + c.iter().sum::<f32>(), 10.0);
    }
    {
        let _reading = x.view::<f32>().unwrap();
        refused(same.view_mut::<f32>());
        refused(same.as_slice_mut::<f32>());
    }
    {
        let mut writing = x.view_mut::<f32>().unwrap();
        writing.fill(2.0);
        refused(same.view::<f32>());
        refused(view.as_slice::<f32>());
        refused(same.view_mut_nd::<f32, 1>());
        // Another element type is the same memory.
        assert!(message(same.view::<i32>()).contains("expected int32"));
    }
    assert_eq!(total(&x), 8.0);
    assert!(same.view_mut::<f32>().is_ok());
}

#[test]
fn both_places_are_named() {
    let x = ones(&[4]).unwrap();
    let mut same = x.clone();
    let _reading = x.view::<f32>().unwrap();
    let text = message(same.view_mut::<f32>());
    assert_eq!(text.matches("borrows.rs:").count(), 2, "{text}");
}

#[test]
fn views_of_parts_do_not_exclude_each_other() {
    let x = ones(&[4, 6]).unwrap();
    let mut left = x.as_strided(&[4, 3], &[6, 1], 0).unwrap();
    let mut right = x.as_strided(&[4, 3], &[6, 1], 3).unwrap();
    let mut middle = x.as_strided(&[4, 2], &[6, 1], 2).unwrap();
    let mut column: Tensor = SELECT.call::<Tensor>((&x, 1_i64, 5_i64)).unwrap();
    let (mut a, mut b) = (left.view_mut::<f32>().unwrap(), right.view_mut::<f32>().unwrap());
    a.fill(2.0);
    b.fill(3.0);
    refused(middle.view_mut::<f32>());
    refused(column.view_mut::<f32>());
    drop(b);
    column.view_mut::<f32>().unwrap().fill(4.0);
    refused(middle.view_mut::<f32>());
    drop(a);
    middle.view_mut::<f32>().unwrap().fill(0.0);
    assert_eq!(total(&x), 4.0 * (2.0 + 2.0 + 0.0 + 0.0 + 3.0 + 4.0));
}

#[test]
fn operators_do_not_write_to_what_is_read() {
    let x = ones(&[4]).unwrap();
    let (part, other) = (x.as_strided(&[2], &[1], 2).unwrap(), ones(&[4]).unwrap());
    let view = x.view::<f32>().unwrap();
    refused(ADD.call::<Tensor>((&x, Scalar::Int(1), Scalar::Int(1))));
    refused(ADD.call::<Tensor>((&part, Scalar::Int(1), Scalar::Int(1))));
    refused(FOREACH.call::<()>((&[other.clone(), part.clone()][..], Scalar::Int(1))));
    refused(COPY.call::<Tensor>((&x, &other, false)));
    refused(RESIZE.call::<Tensor>((&x, &[100_i64][..], None::<i64>)));
    refused(SET.call::<Tensor>((&x, &other)));
    refused(SUM_OUT.call::<Tensor>((&other, 0_i64, None::<i64>, &x)));
    refused(torchop_test_ops::views::add_(&mut x.clone(), 1.0));
    assert_eq!(x.add(&other).unwrap().view::<f32>().unwrap().sum(), 8.0);
    assert_eq!(view.sum(), 4.0);
    drop(view);
    ADD.call::<Tensor>((&x, Scalar::Int(1), Scalar::Int(1))).unwrap();
    assert_eq!(total(&x), 8.0);
}

#[test]
fn operators_do_not_see_what_is_written_to() {
    let mut x = ones(&[4]).unwrap();
    let (same, other) = (x.clone(), ones(&[4]).unwrap());
    let mut view = x.view_mut::<f32>().unwrap();
    refused(same.add(&other));
    refused(other.add(&same));
    refused(same.deep_clone());
    refused(same.sum());
    view.fill(3.0);
    drop(view);
    assert_eq!(total(&same.add(&other).unwrap()), 16.0);
}

/// Growing one handle replaces the memory of all; a view keeps it.
#[test]
fn resizing_a_relative_is_refused() {
    let x = ones(&[4]).unwrap();
    // Has no elements, so it overlaps with nothing; but it is of the same storage.
    let empty = x.as_strided(&[0], &[1], 0).unwrap();
    let view = x.view::<f32>().unwrap();
    let part = x.as_strided(&[1], &[1], 0).unwrap();
    for relative in [&empty, &part] {
        refused(RESIZE.call::<Tensor>((relative, &[1_000_000_i64][..], None::<i64>)));
    }
    // As the result of another operator, which would resize it.
    refused(SUM_OUT.call::<Tensor>((&ones(&[100]).unwrap(), 0_i64, None::<i64>, &empty)));
    assert_eq!((empty.numel().unwrap(), part.numel().unwrap()), (0, 1));
    assert_eq!(view.sum(), 4.0);
    drop(view);
    RESIZE.call::<Tensor>((&empty, &[1_000_000_i64][..], None::<i64>)).unwrap();
}

#[test]
fn a_view_outlives_all_handles_but_its_own() {
    let x = ones(&[1000]).unwrap();
    let part = x.as_strided(&[10], &[1], 500).unwrap();
    let view = part.view::<f32>().unwrap();
    drop(x);
    let others: Vec<Tensor> = (0..50).map(|_| ones(&[1000]).unwrap()).collect();
    assert_eq!(view.sum(), 10.0);
    drop(others);
}

#[test]
fn a_forgotten_view_stays_borrowed() {
    let mut x = ones(&[4]).unwrap();
    std::mem::forget(x.view::<f32>().unwrap());
    assert_eq!(total(&x), 4.0);
    refused(x.view_mut::<f32>());
}

/// Two array references swap nothing but what safe code may.
#[test]
fn arrays_inside_views_stay_there() {
    let (mut x, mut y) = (ones(&[2]).unwrap(), ones(&[3]).unwrap());
    let (mut a, mut b) = (x.view_mut::<f32>().unwrap(), y.view_mut::<f32>().unwrap());
    a[0] = 5.0;
    std::mem::swap(&mut a[0], &mut b[0]);
    assert_eq!((a[0], b[0]), (1.0, 5.0));
    // `ArrayRef` is not `Sized`: `std::mem::swap(&mut *a, &mut *b)` does not compile.
}

#[test]
fn writers_on_threads_exclude_each_other() {
    let x = ones(&[256]).unwrap();
    let (inside, most, refused) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut mine = x.clone();
                for _ in 0..5000 {
                    let Ok(mut view) = mine.view_mut::<f32>() else {
                        refused.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    view.mapv_inplace(|x| x + 1.0);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
    let done = 20_000 - refused.load(Ordering::Relaxed);
    assert_eq!(x.view::<f32>().unwrap()[0], 1.0 + done as f32);
}

#[test]
fn readers_on_threads_share() {
    let x = ones(&[256]).unwrap();
    let (together, failed) = (Barrier::new(4), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let view = x.view::<f32>();
                together.wait();
                failed.fetch_or(view.is_err(), Ordering::Relaxed);
            });
        }
    });
    assert!(!failed.load(Ordering::Relaxed));
    assert!(x.clone().view_mut::<f32>().is_ok());
}

/// A view may be given back on another thread than it was made on.
#[test]
fn views_travel() {
    let mut x = ones(&[8]).unwrap();
    let mut view = x.view_mut::<f32>().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            view.fill(2.0);
            drop(view);
        });
    });
    assert_eq!(total(&x), 16.0);
}

#[test]
fn a_panic_gives_the_memory_back() {
    let x = ones(&[8]).unwrap();
    let caught = std::panic::catch_unwind(|| {
        let mut mine = x.clone();
        let mut view = mine.view_mut::<f32>().unwrap();
        view.fill(3.0);
        panic!("in the middle");
    });
    assert!(caught.is_err());
    assert_eq!(total(&x), 24.0);
}

#[test]
fn what_shares_its_own_memory_is_not_written() {
    let x = ones(&[4]).unwrap();
    for (sizes, strides) in [([4, 3], [1, 0]), ([3, 2], [1, 1]), ([2, 4], [2, 1])] {
        let mut overlapping = x.as_strided(&sizes, &strides, 0);
        if let Ok(overlapping) = &mut overlapping {
            assert!(message(overlapping.view_mut::<f32>()).contains("share memory"));
            assert_eq!(total(overlapping), (sizes[0] * sizes[1]) as f32);
        }
    }
}

#[test]
fn many_views_at_once() {
    let base = ones(&[600, 4]).unwrap();
    let mut rows: Vec<Tensor> = (0..600).map(|row| SELECT.call::<Tensor>((&base, 0_i64, row)).unwrap()).collect();
    let mut views: Vec<_> = rows.iter_mut().map(|row| row.as_slice_mut::<f32>().unwrap()).collect();
    for (row, view) in views.iter_mut().enumerate() {
        view.fill(row as f32);
    }
    refused(base.view::<f32>());
    drop(views);
    assert_eq!(total(&base), 4.0 * (599.0 * 600.0 / 2.0));
    RESIZE.call::<Tensor>((&base, &[5000_i64][..], None::<i64>)).unwrap();
}
