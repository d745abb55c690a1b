//! Tensors of memory that Rust made: not copied, and given back once.

#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use torchop::prelude::*;

/// A tensor of `values`, and how often its memory was given back.
fn lent(values: Vec<f32>, sizes: &[i64], strides: &[i64]) -> (Result<Tensor>, Arc<AtomicUsize>) {
    let freed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&freed);
    let mut values = values;
    let first = values.as_mut_ptr();
    // SAFETY: the closure keeps the vector until it runs; sizes and strides stay inside of it wherever a tensor comes to be.
    let tensor = unsafe {
        Tensor::from_raw_parts(first, sizes, strides, move || {
            count.fetch_add(1, Ordering::SeqCst);
            drop(values);
        })
    };
    (tensor, freed)
}

#[test]
fn a_vector_is_not_copied() {
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    let address = values.as_ptr() as usize;
    let x = Tensor::from_vec(values, &[3, 4]).unwrap();
    assert_eq!(x.data_ptr().unwrap(), address);
    assert_eq!(x.view_nd::<f64, 2>().unwrap()[[2, 1]], 9.0);
    assert!(Tensor::from_slice(&[1_u8, 2], &[3]).is_err());
}

#[test]
fn memory_is_given_back_once_with_the_last_reference() {
    let (x, freed) = lent((0..6_u8).map(f32::from).collect(), &[2, 3], &[1, 2]);
    let x = x.unwrap();
    assert_eq!(x.view_nd::<f32, 2>().unwrap()[[1, 2]], 5.0);
    let (part, other) = (x.select(0, 1).unwrap(), x.clone());
    drop(x);
    drop(other);
    assert_eq!(freed.load(Ordering::SeqCst), 0);
    assert!(part.item::<f64>().is_err());
    std::thread::spawn(move || drop(part)).join().unwrap();
    assert_eq!(freed.load(Ordering::SeqCst), 1);
}

#[test]
fn memory_is_given_back_where_no_tensor_comes_to_be() {
    for (sizes, strides) in [(&[6][..], &[1, 1][..]), (&[-1], &[1]), (&[6], &[-1])] {
        let (x, freed) = lent(vec![0.0; 6], sizes, strides);
        assert_eq!(x.unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(freed.load(Ordering::SeqCst), 1, "{sizes:?} {strides:?}");
    }
}

#[test]
fn a_panic_while_memory_is_given_back_stays_there() {
    let mut values = vec![1.0_f32; 2];
    let first = values.as_mut_ptr();
    // SAFETY: the closure keeps the vector.
    let x = unsafe {
        Tensor::from_raw_parts(first, &[2], &[1], move || {
            drop(values);
            std::panic::resume_unwind(Box::new("while it was given back"));
        })
    };
    drop(x.unwrap());
}

#[test]
fn views_keep_lent_memory() {
    let (x, freed) = lent(vec![2.0; 4], &[4], &[1]);
    let x = x.unwrap();
    let view = x.as_slice::<f32>().unwrap();
    assert_eq!(view.iter().sum::<f32>(), 8.0);
    drop(view);
    drop(x);
    assert_eq!(freed.load(Ordering::SeqCst), 1);
}
