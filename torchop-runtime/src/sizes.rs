//! Sizes and strides by value.

use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;

/// Sizes or strides of a tensor, copied: in elements, one per dimension. Reads as `&[i64]`.
///
/// A copy, because another handle to the same tensor may resize it; up to six dimensions are kept without allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sizes(SmallVec<[i64; 6]>);

impl Sizes {
    /// What `copy(to, room)` writes; it says how many there are, which may be more than there is room, or less than 0 for none.
    #[inline]
    pub(crate) fn copied(copy: impl Fn(*mut i64, usize) -> i64) -> Option<Self> {
        let mut room = [0; 6];
        let count = usize::try_from(copy(room.as_mut_ptr(), room.len())).ok()?;
        if count <= room.len() {
            return Some(Sizes(SmallVec::from_buf_and_len(room, count)));
        }
        let mut all = vec![0; count];
        (usize::try_from(copy(all.as_mut_ptr(), count)).ok()? == count).then(|| Sizes(SmallVec::from_vec(all)))
    }
}

impl Deref for Sizes {
    type Target = [i64];
    fn deref(&self) -> &[i64] {
        &self.0
    }
}

impl From<&[i64]> for Sizes {
    fn from(sizes: &[i64]) -> Self {
        Sizes(SmallVec::from_slice(sizes))
    }
}

impl fmt::Debug for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// As torch writes them: `[2, 3]`.
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<[i64]> for Sizes {
    fn eq(&self, other: &[i64]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Sizes {
    fn eq(&self, other: &[i64; N]) -> bool {
        **self == *other
    }
}
