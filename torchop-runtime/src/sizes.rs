//! Sizes and strides by value.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use torchop_sys::PLACES;

/// Sizes or strides of a tensor, copied: in elements, one per dimension. Reads as `&[i64]`.
///
/// A copy, because another handle to the same tensor may resize it; up to five dimensions are kept without allocation.
#[derive(Clone)]
pub struct Sizes {
    /// Those of few dimensions, in the first `rank` places.
    few: [i64; PLACES],
    rank: usize,
    /// All of them, where they are more.
    many: Option<Box<[i64]>>,
}

impl Sizes {
    /// The first `rank` of them.
    #[inline]
    pub(crate) fn few(few: [i64; PLACES], rank: usize) -> Self {
        Sizes { few, rank: rank.min(PLACES), many: None }
    }
}

impl Deref for Sizes {
    type Target = [i64];
    #[inline]
    fn deref(&self) -> &[i64] {
        match &self.many {
            None => &self.few[..self.rank],
            Some(many) => many,
        }
    }
}

impl From<&[i64]> for Sizes {
    fn from(sizes: &[i64]) -> Self {
        let mut few = [0; PLACES];
        match few.get_mut(..sizes.len()) {
            Some(places) => {
                places.copy_from_slice(sizes);
                Sizes::few(few, sizes.len())
            }
            None => Sizes { few, rank: 0, many: Some(sizes.into()) },
        }
    }
}

impl PartialEq for Sizes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Sizes {}

impl Hash for Sizes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
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
