//! Faults, planted: `cargo xtask sanitize` passes only if each of them is found. Nothing here is an example to follow.
#![allow(clippy::undocumented_unsafe_blocks)] // none of them is sound

use std::hint::black_box;
use torchop::prelude::*;
use torchop_sys::{TensorHandle, ffi};

/// Rust reads what it has freed.
#[torch_op(schema = "torchop_sanitize::use_after_free(Tensor x) -> int", cpu)]
fn use_after_free(x: &Tensor) -> Result<i64> {
    let number = black_box(Box::into_raw(Box::new(x.numel()?)));
    unsafe {
        drop(Box::from_raw(number));
        Ok(number.read_volatile())
    }
}

/// Rust reads past the end of a tensor's memory.
#[torch_op(schema = "torchop_sanitize::out_of_bounds(Tensor x) -> int", cpu)]
fn out_of_bounds(x: &Tensor) -> Result<i64> {
    let data = ffi::tensor_data(handle(x)).map_err(|_| Error::runtime("no data"))?;
    let length = x.numel()? as usize * ffi::tensor_item_size(handle(x)).map_err(|_| Error::runtime("no size"))?;
    Ok(unsafe { black_box(data).add(length).read_volatile() }.into())
}

/// The bridge, in C++, reads a handle that Rust has freed.
#[torch_op(schema = "torchop_sanitize::use_after_free_in_cpp(Tensor x) -> bool", cpu)]
fn use_after_free_in_cpp(x: &Tensor) -> bool {
    let freed = black_box(Box::into_raw(Box::new(ffi::tensor_clone_handle(handle(x)))));
    unsafe {
        ffi::tensor_drop_handle(freed);
        drop(Box::from_raw(freed));
        ffi::tensor_defined(&*freed)
    }
}

/// Rust forgets memory.
#[torch_op(schema = "torchop_sanitize::leak(Tensor x) -> int", cpu)]
fn leak(x: &Tensor) -> Result<i64> {
    Ok(*black_box(Box::leak(Box::new(x.numel()?))))
}

/// Rust forgets a reference to a tensor, whose memory was not allocated under any function of ours.
#[torch_op(schema = "torchop_sanitize::leak_reference(Tensor x) -> int", cpu)]
fn leak_reference(x: &Tensor) -> Result<i64> {
    std::mem::forget(x.clone());
    x.numel()
}

fn handle(x: &Tensor) -> &TensorHandle {
    unsafe { &*std::ptr::from_ref(x).cast() }
}
