//! Users' own types as one value: what the derive `TorchEnum` stands on, and what it shares with `TorchTuple`.

use super::argument::{Argument, Mismatch};
use super::results::Results;
use super::returned::Element;
use super::value::Value;
use crate::error::{Error, Result};

/// An enum without fields as a `str` argument. Derived by `TorchEnum`.
pub trait Word: Sized + 'static {
    /// The words, in the order of the variants.
    const WORDS: &'static [&'static str];
    /// Its word.
    fn word(&self) -> &'static str;
    /// The variant at a position in [`Word::WORDS`].
    fn at(position: usize) -> Option<Self>;
}

/// Reads the word of an enum. The error lists them all.
pub fn read_word<W: Word>(value: Value<'_>) -> Result<W, Mismatch> {
    let text = <&str as Argument>::read(value)?;
    let position = W::WORDS.iter().position(|word| *word == text);
    position.and_then(W::at).ok_or_else(|| no_such_word(text, W::WORDS))
}

#[cold]
fn no_such_word(text: &str, words: &[&str]) -> Mismatch {
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    Mismatch(Error::value(format!("expected one of {}, got '{}'", words.join(", "), text.escape_debug())))
}

/// Puts the one result of a function.
pub fn give_one<T: Element>(mut results: Results<'_>, value: T) -> Result<()> {
    value.put(results.next()?)
}

/// The implementations of a type that derives `TorchEnum`, from its [`Word`].
#[doc(hidden)]
#[macro_export]
macro_rules! __torchop_word {
    ($type:ident) => {
        impl<'s> $crate::__private::Argument<'s> for $type {
            const TYPE: $crate::__private::SchemaType = $crate::__private::SchemaType::Str;
            const WORDS: &'static [&'static str] = <$type as $crate::__private::Word>::WORDS;
            fn read(value: $crate::__private::Value<'s>) -> ::core::result::Result<Self, $crate::__private::Mismatch> {
                $crate::__private::read_word(value)
            }
        }
        impl $crate::__private::Element for $type {
            const TYPE: $crate::__private::SchemaType = $crate::__private::SchemaType::Str;
            fn put(self, slot: $crate::__private::ResultSlot<'_>) -> $crate::__private::Result<()> {
                $crate::__private::Element::put($crate::__private::Word::word(&self), slot)
            }
        }
        impl $crate::__private::One for $type {
            fn take(value: $crate::__private::Value<'_>) -> ::core::option::Option<Self> {
                $crate::__private::read_word(value).ok()
            }
        }
        impl $crate::__private::Field for $type {
            const TYPE: $crate::__private::SchemaType = $crate::__private::SchemaType::Str;
            fn save(&self, slot: $crate::__private::ResultSlot<'_>) -> $crate::__private::Result<()> {
                $crate::__private::Element::put($crate::__private::Word::word(self), slot)
            }
            fn restore(value: $crate::__private::Value<'_>) -> $crate::__private::Result<Self> {
                $crate::__private::read_word(value).map_err(::core::convert::Into::into)
            }
        }
        $crate::__torchop_returned!($type);
    };
}

/// The implementation of `Returned` of a class: a function that returns it makes a new object.
#[doc(hidden)]
#[macro_export]
macro_rules! __torchop_returned_as_object {
    ($type:ident) => {
        impl $crate::__private::Returned for $type {
            const TYPES: &'static [$crate::__private::SchemaType] =
                &[<&$type as $crate::__private::Argument<'static>>::TYPE];
            type Called = $crate::__private::Result<$crate::__private::TorchRef<$type>>;
            fn give(self, results: $crate::__private::Results<'_>) -> $crate::__private::Result<()> {
                $crate::__private::give_object(results, self)
            }
            fn taken(
                call: impl ::core::ops::FnOnce(&mut $crate::__private::ResultValues) -> $crate::__private::Result<()>,
            ) -> Self::Called {
                $crate::__private::taken_object(call)
            }
        }
    };
}

/// The implementation of `Returned` of a type that is one value.
#[doc(hidden)]
#[macro_export]
macro_rules! __torchop_returned {
    ($type:ident) => {
        impl $crate::__private::Returned for $type {
            const TYPES: &'static [$crate::__private::SchemaType] = &[<$type as $crate::__private::Element>::TYPE];
            type Called = $crate::__private::Result<$type>;
            fn give(self, results: $crate::__private::Results<'_>) -> $crate::__private::Result<()> {
                $crate::__private::give_one(results, self)
            }
            fn taken(
                call: impl ::core::ops::FnOnce(&mut $crate::__private::ResultValues) -> $crate::__private::Result<()>,
            ) -> Self::Called {
                $crate::__private::taken_one(call)
            }
        }
    };
}
