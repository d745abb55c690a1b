//! Tensors of memory that Rust made.

use super::Tensor;
use super::access::TensorElement;
use crate::error::{Error, OrTorch, Result};
use crate::op::TorchOp;
use ndarray::{Array, Dimension};
use std::mem::{ManuallyDrop, align_of, size_of};
use std::panic::{AssertUnwindSafe, catch_unwind};
use torchop_sys::{DropFn, ffi};

/// Tells modes (functionalization, `torch.func`) of a tensor that no operator made.
static LIFT_FRESH: TorchOp = TorchOp::new("aten::lift_fresh", "");

impl Tensor {
    /// A tensor of the vector's own memory, not copied: contiguous, on the CPU. The vector is freed with the tensor.
    ///
    /// # Errors
    /// `ValueError` if the product of the sizes is not the vector's length.
    #[track_caller]
    pub fn from_vec<T: TensorElement>(values: Vec<T>, sizes: &[i64]) -> Result<Tensor> {
        check_count(values.len(), sizes)?;
        let mut values = ManuallyDrop::new(values);
        let (first, length, capacity) = (values.as_mut_ptr(), values.len(), values.capacity());
        let strides = contiguous(sizes);
        // SAFETY: the memory is the vector's, of as many elements as the sizes say, and nobody else's from now on. The closure
        // runs once, when the tensor's memory is given back, and makes the vector again from its parts.
        unsafe {
            let first = SendPointer(first);
            Self::from_raw_parts(first.0, sizes, &strides, move || {
                let first = first;
                drop(Vec::from_raw_parts(first.0, length, capacity));
            })
        }
    }

    /// A contiguous tensor on the CPU with a copy of these elements.
    ///
    /// # Errors
    /// `ValueError` if the product of the sizes is not the number of elements.
    #[track_caller]
    pub fn from_slice<T: TensorElement>(values: &[T], sizes: &[i64]) -> Result<Tensor> {
        check_count(values.len(), sizes)?;
        Self::from_vec(values.to_vec(), sizes)
    }

    /// A tensor of the array's own memory, not copied, with the array's strides. An array that runs backwards in some dimension, which
    /// tensors cannot, is copied. The other way is [`Tensor::view`], and `to_owned` on what it gives.
    #[track_caller]
    pub fn from_array<T: TensorElement, D: Dimension + 'static>(array: Array<T, D>) -> Result<Tensor> {
        let runs_forward = array.strides().iter().all(|stride| *stride >= 0);
        let mut array = if runs_forward { array } else { array.as_standard_layout().into_owned() };
        let numbers = |list: &[usize]| list.iter().map(|number| *number as i64).collect::<Vec<_>>();
        let (sizes, strides) =
            (numbers(array.shape()), array.strides().iter().map(|stride| *stride as i64).collect::<Vec<_>>());
        let first = array.as_mut_ptr();
        // SAFETY: the memory is the array's, of as many elements as shape and strides say (an array that is owned has each once), stays
        // where it is when the array moves, and is nobody else's from now on.
        unsafe { Self::from_raw_parts(first, &sizes, &strides, move || drop(array)) }
    }

    /// A tensor of memory of the CPU that somebody else owns. `free` runs once, on any thread, when no tensor has the memory any
    /// more; also if this fails. A panic in it is swallowed.
    ///
    /// # Safety
    /// Until `free` runs: every element that sizes and strides (in elements) reach from `first` on is readable and writable,
    /// initialised, and read or written by nobody but through the tensor.
    ///
    /// # Errors
    /// `ValueError` if a size or stride is negative, if there is not one stride for each size, or if `first` is not aligned.
    #[track_caller]
    pub unsafe fn from_raw_parts<T: TensorElement>(
        first: *mut T,
        sizes: &[i64],
        strides: &[i64],
        free: impl FnOnce() + Send + 'static,
    ) -> Result<Tensor> {
        let context = Free::new(free);
        if sizes.len() != strides.len() {
            return Err(Error::value(format!("expected one stride for each size, got {sizes:?} and {strides:?}")));
        }
        if sizes.iter().chain(strides).any(|number| *number < 0) {
            return Err(Error::value(format!(
                "expected sizes and strides of at least 0, got {sizes:?} and {strides:?}"
            )));
        }
        if !first.is_aligned() {
            return Err(Error::value(format!("expected memory at a multiple of {} bytes", align_of::<T>())));
        }
        let (context, drop) = context.into_parts();
        // SAFETY: the caller promises the memory; C++ takes the context over, whatever happens, and gives it to `drop` once.
        let handle = unsafe { ffi::tensor_from_memory(first as usize, sizes, strides, T::DTYPE.code(), context, drop) };
        let tensor = Tensor::from_owned_handle(handle.or_torch()?);
        LIFT_FRESH.call::<Tensor>((&tensor,))
    }
}

/// A function to run once, in a box that C++ can hold.
struct Free<F: FnOnce() + Send + 'static>(Option<Box<F>>);

impl<F: FnOnce() + Send + 'static> Free<F> {
    fn new(free: F) -> Self {
        Free(Some(Box::new(free)))
    }

    fn into_parts(mut self) -> (*mut u8, DropFn) {
        let raw = self.0.take().map_or(std::ptr::null_mut(), Box::into_raw);
        (raw.cast(), DropFn(run::<F>))
    }
}

/// Where no tensor came to be.
impl<F: FnOnce() + Send + 'static> Drop for Free<F> {
    fn drop(&mut self) {
        if let Some(free) = self.0.take() {
            call(*free);
        }
    }
}

fn call(free: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(free)) {
        crate::op::discard(payload);
    }
}

/// # Safety
/// `context` comes from [`Free::into_parts`] of the same `F`, and is given once.
unsafe extern "C" fn run<F: FnOnce() + Send + 'static>(context: *mut u8) {
    // SAFETY: a box of `F`, ours again; see above. Zero-sized closures have a dangling address, which is one too.
    let free = unsafe { Box::from_raw(context.cast::<F>()) };
    call(*free);
}

#[derive(Clone, Copy)]
struct SendPointer<T>(*mut T);
// SAFETY: stands for the vector's elements, which are Send.
unsafe impl<T: Send> Send for SendPointer<T> {}

#[track_caller]
fn check_count(length: usize, sizes: &[i64]) -> Result<()> {
    let count = sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(usize::try_from(*size).ok()?));
    if count == Some(length) {
        return Ok(());
    }
    Err(Error::value(format!("{length} elements do not make a tensor of sizes {sizes:?}")))
}

fn contiguous(sizes: &[i64]) -> Vec<i64> {
    let mut stride = 1_i64;
    let mut strides: Vec<i64> = sizes
        .iter()
        .rev()
        .map(|size| {
            let this = stride;
            stride = stride.saturating_mul((*size).max(1));
            this
        })
        .collect();
    strides.reverse();
    strides
}

const _: () = assert!(size_of::<usize>() == size_of::<*mut u8>());
