//! Loops on torch's intra-op threads: as many as `torch.set_num_threads` says, and no pool of our own.

mod arrays;
mod job;

pub use arrays::{parallel_chunks, parallel_chunks_mut, parallel_outer, parallel_outer_mut};

use crate::error::{Error, OrTorch, Result};
use job::Job;
use std::ops::Range;
use torchop_sys::ffi;

/// How many threads a parallel loop may use here (`torch.get_num_threads`).
pub fn num_threads() -> Result<usize> {
    Ok(usize::try_from(ffi::parallel_threads().or_torch()?).unwrap_or(1))
}

/// `torch.set_num_threads`: how many threads parallel loops use, torch's and ours, for the process. A Rust program without Python
/// has no other way than the environment variable `OMP_NUM_THREADS`.
///
/// # Errors
/// `ValueError` if the number is 0 or more than torch counts.
pub fn set_num_threads(count: usize) -> Result<()> {
    match i32::try_from(count) {
        Ok(count @ 1..) => ffi::parallel_set_threads(count).or_torch(),
        _ => Err(Error::value(format!("expected at least 1 thread, and at most {}, got {count}", i32::MAX))),
    }
}

/// Whether this is inside of a parallel loop already, of ours or of torch's: another one inside runs on this thread alone.
pub fn in_parallel() -> Result<bool> {
    ffi::parallel_inside().or_torch()
}

/// Runs `body` over parts of `0..count`, each number in exactly one part, on torch's intra-op threads (`at::parallel_for`).
///
/// `grain` is the number of turns that are worth a thread: with no more than that, with one thread, or inside of another
/// parallel loop, all is one part on this thread. Operators may be called in the body: modes, keys and gradients are as
/// outside.
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, parallel_for};
///
/// fn longest(x: &Tensor) -> Result<f32> {
///     let x = x.as_slice::<f32>()?;
///     let longest = std::sync::Mutex::new(0_f32);
///     parallel_for(x.len(), 4096, |part| {
///         let mine = x[part].iter().fold(0_f32, |longest, x| longest.max(x.abs()));
///         let mut longest = longest.lock()?;
///         *longest = longest.max(mine);
///         Ok(())
///     })?;
///     Ok(longest.into_inner()?)
/// }
/// ```
///
/// # Errors
/// The first error of any part; parts that have not begun by then are left out. A panic is such an error, with its place.
#[track_caller]
pub fn parallel_for(count: usize, grain: usize, body: impl Fn(Range<usize>) -> Result<()> + Sync) -> Result<()> {
    Job::new(body).run(count, grain)
}
