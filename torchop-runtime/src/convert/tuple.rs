//! All arguments of a function in one step, in both directions.

use super::argument::Argument;
use super::results::{LentValues, OwnedValues};
use super::returned::Element;
use super::value::Arguments;
use crate::error::{Error, Result};
use torchop_sys::RawValue;

/// A tuple of arguments, read from torch's values.
pub trait ReadAll<'s>: Sized {
    /// Reads all of them. The error names the position of the first that does not fit.
    fn read_all(arguments: Arguments<'s>) -> Result<Self>;
}

#[cold]
fn wrong_count(expected: usize, got: usize) -> Error {
    Error::type_error(format!("expected {expected} arguments, got {got}"))
}

macro_rules! read_all {
    ($count:literal: $($type:ident $position:tt)*) => {
        impl<'s, $($type: Argument<'s>),*> ReadAll<'s> for ($($type,)*) {
            #[inline]
            fn read_all(arguments: Arguments<'s>) -> Result<Self> {
                if arguments.len() != $count {
                    return Err(wrong_count($count, arguments.len()));
                }
                Ok(($(
                    match $type::read(arguments.at($position)) {
                        Ok(read) => read,
                        Err(mismatch) => return Err(mismatch.0.at_argument(arguments.position($position))),
                    },
                )*))
            }
        }
    };
}

/// A tuple of values for a call into torch.
pub trait PutAll {
    /// Moves or copies all of them.
    fn put_all(self) -> Result<OwnedValues>;
    /// Hands them to `call`, until it returns: what is borrowed is not copied.
    #[doc(hidden)]
    fn lend<R>(self, call: impl FnOnce(&mut [RawValue]) -> Result<R>) -> Result<R>;
}

macro_rules! put_all {
    ($count:literal: $($type:ident $position:tt)*) => {
        impl<$($type: Element),*> PutAll for ($($type,)*) {
            #[allow(unused_mut, unused_variables)]
            fn put_all(self) -> Result<OwnedValues> {
                let mut values = OwnedValues::none($count);
                let mut slots = values.results();
                $(self.$position.put(slots.next()?)?;)*
                Ok(values)
            }
            // What the references in `self` refer to lives longer than this function runs: it may be lent.
            #[inline(always)]
            #[allow(unused_mut)]
            fn lend<Answer>(self, call: impl FnOnce(&mut [RawValue]) -> Result<Answer>) -> Result<Answer> {
                let mut values = LentValues::<$count>::none();
                $(self.$position.lend(values.slot($position))?;)*
                call(values.values())
            }
        }
    };
}

macro_rules! read_all_up_to {
    ($($count:literal: $($type:ident $position:tt)*;)*) => {
        $(read_all!($count: $($type $position)*);)*
        $(put_all!($count: $($type $position)*);)*
    };
}

read_all_up_to! {
    0: ;
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    13: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    14: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    15: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    16: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
    17: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16;
    18: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17;
    19: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18;
    20: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19;
    21: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20;
    22: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21;
    23: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22;
    24: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23;
    25: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24;
    26: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25;
    27: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25 Aa 26;
    28: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25 Aa 26 Ab 27;
    29: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25 Aa 26 Ab 27 Ac 28;
    30: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16 R 17 S 18 T 19 U 20 V 21 W 22 X 23 Y 24 Z 25 Aa 26 Ab 27 Ac 28 Ad 29;
}
