//! Dictionaries.

use super::argument::{Argument, Mismatch};
use super::results::{OwnedValues, ResultSlot};
use super::returned::{Element, One};
use super::value::Value;
use crate::error::Result;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use torchop_schema::SchemaType;

/// A dictionary argument (`Dict(K, V)`): its entries where torch keeps them, in the order of insertion.
#[derive(Clone, Copy, Debug)]
pub struct Dict<'s, K, V> {
    entries: &'s [(Value<'s>, Value<'s>)],
    types: PhantomData<fn() -> (K, V)>,
}

impl<'s, K: Argument<'s>, V: Argument<'s>> Dict<'s, K, V> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = (K, V)> + use<'s, K, V> {
        self.entries.iter().filter_map(|(key, value)| Some((K::read(*key).ok()?, V::read(*value).ok()?)))
    }

    /// The value of a key. Looks at one entry after the other: for many look-ups take a `HashMap`.
    pub fn get(&self, key: &K) -> Option<V>
    where
        K: PartialEq,
    {
        self.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }
}

#[diagnostic::do_not_recommend]
impl<'s, K: Argument<'s>, V: Argument<'s>> Argument<'s> for Dict<'s, K, V> {
    const TYPE: SchemaType = SchemaType::Dict(&K::TYPE, &V::TYPE);
    /// Checks every entry's types, so that reading cannot fail later.
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        const { assert!(!Self::TYPE.has_mutable(), "`&mut Tensor` is an argument of its own, not part of a dictionary") };
        let Some(entries) = value.dict() else { return Err(Mismatch::new("a dictionary", value)) };
        let entries = entries?;
        for (index, (key, value)) in entries.iter().enumerate() {
            let named = |part: &str, mismatch: Mismatch| {
                Mismatch(mismatch.0.with_prefix(&format!("{part} of entry {index}: ")))
            };
            K::read(*key).map_err(|mismatch| named("key", mismatch))?;
            V::read(*value).map_err(|mismatch| named("value", mismatch))?;
        }
        Ok(Dict { entries, types: PhantomData })
    }
}

#[diagnostic::do_not_recommend]
impl<'s, K: Element + Argument<'s>, V: Element + Argument<'s>> Element for Dict<'s, K, V> {
    const TYPE: SchemaType = SchemaType::Dict(&<K as Element>::TYPE, &<V as Element>::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        let entries: Vec<(K, V)> = self.iter().collect();
        put_dict(entries.into_iter(), slot)
    }
}

macro_rules! map {
    ($([$($bounds:tt)*] [$($state:tt)*] $map:ty, [$key:ident $value:ident];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'s, $key: Argument<'s> + $($bounds)*, $value: Argument<'s>, $($state)*> Argument<'s> for $map {
            const TYPE: SchemaType = SchemaType::Dict(&$key::TYPE, &$value::TYPE);
            fn read(value: Value<'s>) -> Result<Self, Mismatch> {
                Ok(Dict::<$key, $value>::read(value)?.iter().collect())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$key: Element + $($bounds)*, $value: Element, $($state)*> Element for $map {
            const TYPE: SchemaType = SchemaType::Dict(&$key::TYPE, &$value::TYPE);
            fn put(self, slot: ResultSlot<'_>) -> Result<()> {
                put_dict(self.into_iter(), slot)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$key: One + $($bounds)*, $value: One, $($state)*> One for $map {
            fn take(value: Value<'_>) -> Option<Self> {
                let entries = value.dict()?.ok()?;
                entries.iter().map(|(key, value)| Some(($key::take(*key)?, $value::take(*value)?))).collect()
            }
        }
    )*};
}

map! {
    [Ord] [] BTreeMap<K, V>, [K V];
    [Eq + Hash] [S: BuildHasher + Default] HashMap<K, V, S>, [K V];
}

fn put_dict<K: Element, V: Element>(
    entries: impl ExactSizeIterator<Item = (K, V)>,
    slot: ResultSlot<'_>,
) -> Result<()> {
    let (mut keys, mut values) = (OwnedValues::none(entries.len()), OwnedValues::none(entries.len()));
    let (mut key_slots, mut value_slots) = (keys.results(), values.results());
    for (key, value) in entries {
        key.put(key_slots.next()?)?;
        value.put(value_slots.next()?)?;
    }
    slot.put_dict([&K::TYPE.to_string(), &V::TYPE.to_string()], &mut keys, &mut values)
}
