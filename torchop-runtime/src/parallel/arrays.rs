//! Loops over slices and arrays, in parts that do not overlap.

use super::parallel_for;
use crate::error::{Error, Result};
use ndarray::{ArrayRef, ArrayView, ArrayViewMut, Axis, RemoveAxis};
use std::marker::PhantomData;

/// How many chunks of this length are worth a thread.
const WORTH: usize = 32_768;

fn grain(length: usize) -> usize {
    (WORTH / length.max(1)).max(1)
}

/// Runs `body(n, chunk)` for each chunk of `length` elements, the last of which may be shorter.
///
/// # Errors
/// As [`parallel_for`]; `ValueError` if `length` is 0.
#[track_caller]
pub fn parallel_chunks<T: Sync>(
    slice: &[T],
    length: usize,
    body: impl Fn(usize, &[T]) -> Result<()> + Sync,
) -> Result<()> {
    check_length(length)?;
    parallel_for(slice.len().div_ceil(length), grain(length), |part| {
        part.map(|n| (n, &slice[n * length..slice.len().min((n + 1) * length)]))
            .try_for_each(|(n, chunk)| body(n, chunk))
    })
}

/// [`parallel_chunks`] for writing.
///
/// # Errors
/// As [`parallel_for`]; `ValueError` if `length` is 0.
#[track_caller]
pub fn parallel_chunks_mut<T: Send>(
    slice: &mut [T],
    length: usize,
    body: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    check_length(length)?;
    let (total, parts) = (slice.len(), Parts::new(slice));
    parallel_for(total.div_ceil(length), grain(length), |part| {
        part.into_iter().try_for_each(|n| {
            let begin = n * length;
            // SAFETY: in the slice; each number comes in one part alone, so that the chunks do not overlap.
            body(n, unsafe { parts.part(begin, total.min(begin + length) - begin) })
        })
    })
}

#[track_caller]
fn check_length(length: usize) -> Result<()> {
    if length == 0 { Err(Error::value("chunks of 0 elements do not end")) } else { Ok(()) }
}

/// A slice that threads take apart.
struct Parts<'a, T> {
    first: *mut T,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: who shares it takes parts that do not overlap (`part`), of elements that may go to other threads.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    fn new(slice: &'a mut [T]) -> Self {
        Parts { first: slice.as_mut_ptr(), slice: PhantomData }
    }

    /// # Safety
    /// In the slice, and nobody takes an element twice.
    #[allow(clippy::mut_from_ref)]
    unsafe fn part(&self, begin: usize, length: usize) -> &'a mut [T] {
        // SAFETY: promised by the caller; the slice is borrowed for `'a`.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(begin), length) }
    }
}

/// Runs `body(n, row)` for each part along the first dimension: rows of a matrix, samples of a batch. Strides do not matter.
///
/// # Errors
/// As [`parallel_for`]; `ValueError` if the array has no dimension.
#[track_caller]
pub fn parallel_outer<T: Sync, D: RemoveAxis>(
    array: &ArrayRef<T, D>,
    body: impl Fn(usize, ArrayView<'_, T, D::Smaller>) -> Result<()> + Sync,
) -> Result<()> {
    let (rows, length) = rows_of(array)?;
    parallel_for(rows, grain(length), |part| part.into_iter().try_for_each(|n| body(n, array.index_axis(Axis(0), n))))
}

/// [`parallel_outer`] for writing.
///
/// # Errors
/// As [`parallel_for`]; `ValueError` if the array has no dimension.
#[track_caller]
pub fn parallel_outer_mut<T: Send, D: RemoveAxis>(
    array: &mut ArrayRef<T, D>,
    body: impl Fn(usize, ArrayViewMut<'_, T, D::Smaller>) -> Result<()> + Sync,
) -> Result<()> {
    let (_, length) = rows_of(array)?;
    let mut rows: Vec<_> = array.outer_iter_mut().map(Some).collect();
    let (count, parts) = (rows.len(), Parts::new(&mut rows));
    parallel_for(count, grain(length), |part| {
        part.into_iter().try_for_each(|n| {
            // SAFETY: one of the rows; each number comes in one part alone.
            let row = unsafe { parts.part(n, 1) }[0].take();
            row.map_or(Ok(()), |row| body(n, row))
        })
    })
}

#[track_caller]
fn rows_of<T, D: RemoveAxis>(array: &ArrayRef<T, D>) -> Result<(usize, usize)> {
    match array.shape() {
        [] => Err(Error::value("an array without dimensions has no rows")),
        [rows, rest @ ..] => Ok((*rows, rest.iter().product())),
    }
}
