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
    /// Those of few dimensions, in the first places.
    few: [i64; PLACES],
    count: Count,
}

/// How many there are, in a word that has room for two more tags, this one's and `Result<Sizes>`'s: sizes that are read in place
/// are stored as six words, and nothing else.
#[derive(Clone)]
enum Count {
    Few(Rank),
    /// And what they are.
    Many(Box<[i64]>),
}

#[derive(Clone, Copy)]
#[repr(usize)]
enum Rank {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
}

impl Rank {
    /// `None` if there are more than places.
    #[inline]
    fn of(rank: usize) -> Option<Self> {
        match rank {
            0 => Some(Rank::R0),
            1 => Some(Rank::R1),
            2 => Some(Rank::R2),
            3 => Some(Rank::R3),
            4 => Some(Rank::R4),
            5 => Some(Rank::R5),
            _ => None,
        }
    }
}

impl Sizes {
    /// The first `rank` of them; `None` if that is more than there are.
    #[inline]
    pub(crate) fn few(few: [i64; PLACES], rank: usize) -> Option<Self> {
        Rank::of(rank).map(|rank| Sizes { few, count: Count::Few(rank) })
    }
}

impl Deref for Sizes {
    type Target = [i64];
    #[inline]
    fn deref(&self) -> &[i64] {
        match &self.count {
            Count::Few(rank) => &self.few[..*rank as usize],
            Count::Many(many) => many,
        }
    }
}

impl From<&[i64]> for Sizes {
    fn from(sizes: &[i64]) -> Self {
        let mut few = [0; PLACES];
        let copied = few.get_mut(..sizes.len()).map(|places| places.copy_from_slice(sizes));
        copied
            .and_then(|()| Sizes::few(few, sizes.len()))
            .unwrap_or_else(|| Sizes { few, count: Count::Many(sizes.into()) })
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
