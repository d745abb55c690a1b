//! Sizes that may be symbolic, as arguments of torch's operators.

use crate::convert::{ArgumentSlot, Element, ResultSlot};
use crate::error::Result;
use crate::sizes::Sizes;
use crate::sym_int::SymInt;
use torchop_schema::SchemaType;

/// Sizes for an operator of torch's (`SymInt[]`): numbers or symbols, borrowed.
///
/// Made from `&[2, 3]`, `&[SymInt]`, a `&Vec` of either, and [`Sizes`].
#[derive(Clone, Copy, Debug)]
pub enum SymInts<'a> {
    /// Numbers.
    Numbers(&'a [i64]),
    /// Symbols, or numbers as symbols.
    Symbols(&'a [SymInt]),
}

/// A size for an operator of torch's (`SymInt`): a number or a symbol. Made from `i64`, [`SymInt`] and `&SymInt`.
#[derive(Clone, Debug)]
pub enum MaybeSym {
    /// A number.
    Number(i64),
    /// A symbol, or a number as a symbol.
    Symbol(SymInt),
}

impl From<i64> for MaybeSym {
    #[inline]
    fn from(size: i64) -> Self {
        MaybeSym::Number(size)
    }
}

impl From<SymInt> for MaybeSym {
    fn from(size: SymInt) -> Self {
        MaybeSym::Symbol(size)
    }
}

impl From<&SymInt> for MaybeSym {
    fn from(size: &SymInt) -> Self {
        MaybeSym::Symbol(size.clone())
    }
}

#[diagnostic::do_not_recommend]
impl Element for MaybeSym {
    const TYPE: SchemaType = SchemaType::SymInt;
    #[inline]
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        match self {
            MaybeSym::Number(size) => size.put(slot),
            MaybeSym::Symbol(size) => size.put(slot),
        }
    }
}

macro_rules! from {
    ($($variant:ident $item:ty;)*) => {$(
        impl<'a> From<&'a [$item]> for SymInts<'a> {
            fn from(sizes: &'a [$item]) -> Self {
                SymInts::$variant(sizes)
            }
        }
        impl<'a, const N: usize> From<&'a [$item; N]> for SymInts<'a> {
            fn from(sizes: &'a [$item; N]) -> Self {
                SymInts::$variant(sizes)
            }
        }
        impl<'a> From<&'a Vec<$item>> for SymInts<'a> {
            fn from(sizes: &'a Vec<$item>) -> Self {
                SymInts::$variant(sizes)
            }
        }
    )*};
}

from! { Numbers i64; Symbols SymInt; }

impl<'a> From<&'a Sizes> for SymInts<'a> {
    fn from(sizes: &'a Sizes) -> Self {
        SymInts::Numbers(sizes)
    }
}

#[diagnostic::do_not_recommend]
impl Element for SymInts<'_> {
    const TYPE: SchemaType = SchemaType::List(&SchemaType::SymInt);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        match self {
            SymInts::Numbers(sizes) => sizes.put(slot),
            SymInts::Symbols(sizes) => sizes.put(slot),
        }
    }
    #[inline]
    fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
        match self {
            SymInts::Numbers(sizes) => sizes.lend(slot),
            SymInts::Symbols(sizes) => sizes.lend(slot),
        }
    }
}
