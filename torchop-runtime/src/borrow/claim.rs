//! What is claimed: bytes, for reading or writing.

use std::fmt;
use std::panic::Location;

/// More dimensions than this, after those that lie dense are one, are taken for the whole span.
pub(crate) const DIMS: usize = 4;

/// A place in a source file, in a form that libraries of different compilers can read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    file: *const u8,
    length: usize,
    line: u32,
}

impl Place {
    #[inline]
    pub(crate) fn new(location: &'static Location<'static>) -> Self {
        let file = location.file();
        Place { file: file.as_ptr(), length: file.len(), line: location.line() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the text comes from a `&'static str` of a library that is never unmapped (`Place::new`).
        let file = unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.file, self.length)) };
        write!(f, "{file}:{}", self.line)
    }
}

/// One dimension: how many steps, and how far each goes, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

/// Bytes that somebody reads or writes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    /// The first byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// The storage that the bytes belong to; alive while the claim is.
    pub(crate) storage: usize,
    pub(crate) place: Place,
    /// The dimensions with gaps, if `rank` is not 0. Without them all bytes from the first to the last are meant.
    pub(crate) steps: [Step; DIMS],
    pub(crate) rank: u8,
    pub(crate) writable: bool,
    /// How many bytes lie together at each place that the steps lead to.
    pub(crate) block: usize,
}

impl Claim {
    /// All bytes from `start` on.
    #[inline]
    pub(crate) fn solid(start: usize, bytes: usize, storage: usize, writable: bool, place: Place) -> Self {
        Claim {
            start,
            end: start + bytes,
            storage,
            place,
            steps: [Step::default(); DIMS],
            rank: 0,
            writable,
            block: bytes,
        }
    }

    /// No bytes at all: stands in nobody's way, but keeps the storage's memory where it is.
    pub(crate) fn hold(storage: usize, place: Place) -> Self {
        Claim::solid(0, 0, storage, false, place)
    }

    /// Whether anybody has to look for it, as a number.
    #[inline]
    pub(crate) fn counts(&self) -> isize {
        isize::from(self.start != self.end)
    }

    /// Says where the gaps are. Sizes are at least 1, strides in bytes.
    pub(crate) fn leave_gaps(&mut self, dims: impl Iterator<Item = Step>, item: usize) {
        let mut sorted: smallvec::SmallVec<[Step; 8]> = dims.filter(|step| step.count > 1 && step.stride > 0).collect();
        sorted.sort_unstable_by_key(|step| step.stride);
        let mut block = item;
        let mut steps: smallvec::SmallVec<[Step; 8]> = smallvec::SmallVec::new();
        for step in sorted {
            match steps.last_mut() {
                None if step.stride == block => block *= step.count,
                Some(last) if step.stride == last.stride * last.count => last.count *= step.count,
                _ => steps.push(step),
            }
        }
        if steps.len() <= DIMS {
            self.block = block;
            self.rank = steps.len() as u8;
            self.steps[..steps.len()].copy_from_slice(&steps);
        }
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps[..usize::from(self.rank)]
    }
}
