//! One loop: its body, and what went wrong.

use crate::error::{Error, OrTorch, Result};
use crate::op::caught;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use torchop_sys::{RangeFn, ffi};

pub(super) struct Job<F> {
    body: F,
    failed: AtomicBool,
    first: Mutex<Option<Error>>,
}

impl<F: Fn(Range<usize>) -> Result<()> + Sync> Job<F> {
    pub(super) fn new(body: F) -> Self {
        Job { body, failed: AtomicBool::new(false), first: Mutex::new(None) }
    }

    #[track_caller]
    pub(super) fn run(self, count: usize, grain: usize) -> Result<()> {
        let count =
            i64::try_from(count).map_err(|_| Error::value(format!("{count} turns are more than torch counts")))?;
        let grain = i64::try_from(grain).unwrap_or(i64::MAX);
        // SAFETY: the function reads the context as this `Job`, which lives until all parts are done.
        unsafe { ffi::parallel_run(count, grain, RangeFn(part::<F>), (&raw const self).cast()) }.or_torch()?;
        match self.first.into_inner() {
            Ok(Some(error)) => Err(error),
            Ok(None) => Ok(()),
            Err(poisoned) => poisoned.into_inner().map_or(Ok(()), Err),
        }
    }

    fn part(&self, range: Range<usize>) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        let error = match catch_unwind(AssertUnwindSafe(|| (self.body)(range))) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(payload) => Error::runtime(caught(payload)),
        };
        self.failed.store(true, Ordering::Relaxed);
        if let Ok(mut first) = self.first.lock() {
            first.get_or_insert(error);
        }
    }
}

/// # Safety
/// `context` is a live `Job<F>`.
unsafe extern "C" fn part<F: Fn(Range<usize>) -> Result<()> + Sync>(context: *const u8, begin: i64, end: i64) {
    // SAFETY: promised by the caller; `F` is Sync, and so is the rest of it.
    let job = unsafe { &*context.cast::<Job<F>>() };
    // Parts of `0..count`, which came from a `usize`.
    job.part(begin as usize..end as usize);
}
