//! What is claimed: bytes, for reading or writing.

use std::fmt;
use std::panic::Location;

/// More dimensions than this, after those that lie dense are one, are taken for the whole span.
pub(crate) const DIMS: usize = 4;

/// A place in a source file. Compilers differ in what a `Location` looks like, so the library that it is of reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    location: usize,
    read: unsafe extern "C" fn(location: usize) -> FileAndLine,
}

#[repr(C)]
struct FileAndLine {
    file: *const u8,
    length: usize,
    line: u32,
}

impl Place {
    pub(super) const NOWHERE: Place = Place { location: 0, read: read_place };

    #[inline]
    pub(crate) fn new(location: &'static Location<'static>) -> Self {
        Place { location: std::ptr::from_ref(location) as usize, read: read_place }
    }
}

unsafe extern "C" fn read_place(location: usize) -> FileAndLine {
    // SAFETY: `Place::new` of this library made the address of a `&'static Location`; the library is never unmapped.
    let location = unsafe { &*(location as *const Location<'static>) };
    let file = location.file();
    FileAndLine { file: file.as_ptr(), length: file.len(), line: location.line() }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: both come from one `Place::new`; the text is a `&str` in a library that is never unmapped.
        let (file, line) = unsafe {
            let read = (self.read)(self.location);
            (std::str::from_utf8_unchecked(std::slice::from_raw_parts(read.file, read.length)), read.line)
        };
        write!(f, "{file}:{line}")
    }
}

/// One dimension: how many steps, and how far each goes, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

/// Where the bytes lie, if there are others between the first and the last.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaps {
    steps: [Step; DIMS],
    rank: usize,
    /// How many bytes lie together at each place that the steps lead to.
    block: usize,
}

impl Gaps {
    /// None if there are no others, or it cannot be said where. Sizes are at least 1, strides in bytes.
    pub(crate) fn of(dims: impl Iterator<Item = Step>, item: usize) -> Option<Self> {
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
        if steps.is_empty() || steps.len() > DIMS {
            return None;
        }
        let mut gaps = Gaps { steps: [Step::default(); DIMS], rank: steps.len(), block };
        gaps.steps[..steps.len()].copy_from_slice(&steps);
        Some(gaps)
    }
}

/// Bytes that somebody reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'g> {
    /// The first byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// The storage that the bytes belong to; alive while the claim is.
    pub(crate) storage: usize,
    pub(crate) place: Place,
    pub(crate) writable: bool,
    /// Without them all bytes from the first to the last are meant.
    pub(crate) gaps: Option<&'g Gaps>,
}

impl Claim<'_> {
    /// All bytes from `start` on.
    #[inline]
    pub(crate) fn solid(start: usize, bytes: usize, storage: usize, writable: bool, place: Place) -> Self {
        Claim { start, end: start + bytes, storage, place, writable, gaps: None }
    }

    /// No bytes at all: stands in nobody's way, but keeps the storage's memory where it is.
    pub(crate) fn hold(storage: usize, place: Place) -> Self {
        Claim::solid(0, 0, storage, false, place)
    }

    pub(super) fn steps(&self) -> &[Step] {
        self.gaps.map_or(&[], |gaps| &gaps.steps[..gaps.rank])
    }

    /// How many bytes lie together at each place that the steps lead to.
    pub(super) fn block(&self) -> usize {
        self.gaps.map_or(self.end - self.start, |gaps| gaps.block)
    }
}
