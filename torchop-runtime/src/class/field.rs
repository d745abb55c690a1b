//! The types that a derived state can hold.

use crate::convert::{Argument, Element, OwnedValues, ResultSlot, Value};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::{Layout, MemoryFormat};
use crate::scalar::Scalar;
use crate::tensor::Tensor;
use num_complex::Complex64;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use torchop_schema::SchemaType;

/// A type that a derived state can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a derived state",
    label = "field of this type",
    note = "`pickle` and `flatten` can derive from fields of type `i64`, `f64`, `bool`, `String`, `Tensor`, `DType`, `Device`, and `Option`, `Vec`, tuples and maps of these"
)]
pub trait Field: Sized {
    /// The type in torch's schema language.
    const TYPE: SchemaType;
    #[doc(hidden)]
    fn save(&self, slot: ResultSlot<'_>) -> Result<()>;
    #[doc(hidden)]
    fn restore(value: Value<'_>) -> Result<Self>;
}

macro_rules! field {
    ($($type:ty as $read:ty, $this:ident => $save:expr, $value:ident => $restore:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Field for $type {
            const TYPE: SchemaType = <$read as Argument<'static>>::TYPE;
            fn save(&self, slot: ResultSlot<'_>) -> Result<()> {
                let $this = self;
                Element::put($save, slot)
            }
            fn restore(value: Value<'_>) -> Result<Self> {
                let $value = <$read as Argument<'_>>::read(value).map_err(|mismatch| mismatch.0)?;
                Ok($restore)
            }
        }
    )*};
}

field! {
    i64 as i64, this => *this, value => value;
    f64 as f64, this => *this, value => value;
    bool as bool, this => *this, value => value;
    String as &str, this => this.as_str(), value => value.to_owned();
    Tensor as &Tensor, this => this, value => value.clone();
    Complex64 as Complex64, this => *this, value => value;
    Scalar as Scalar, this => *this, value => value;
    DType as DType, this => *this, value => value;
    Layout as Layout, this => *this, value => value;
    MemoryFormat as MemoryFormat, this => *this, value => value;
    Device as Device, this => *this, value => value;
}

#[diagnostic::do_not_recommend]
impl<T: Field> Field for Option<T> {
    const TYPE: SchemaType = SchemaType::Optional(&T::TYPE);
    fn save(&self, slot: ResultSlot<'_>) -> Result<()> {
        self.as_ref().map_or(Ok(()), |value| value.save(slot))
    }
    fn restore(value: Value<'_>) -> Result<Self> {
        if value.is_none() { Ok(None) } else { T::restore(value).map(Some) }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Field> Field for Vec<T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn save(&self, slot: ResultSlot<'_>) -> Result<()> {
        let mut values = OwnedValues::none(self.len());
        let mut slots = values.results();
        for item in self {
            item.save(slots.next()?)?;
        }
        slot.put_list(&T::TYPE.to_string(), &mut values)
    }
    fn restore(value: Value<'_>) -> Result<Self> {
        let list =
            value.list().ok_or_else(|| Error::type_error(format!("expected a list, got {}", value.type_name())))?;
        let values = list?;
        (0..values.len()).map(|index| T::restore(values.at(index))).collect()
    }
}

macro_rules! tuple {
    ($count:literal: $($type:ident $position:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: Field),*> Field for ($($type,)*) {
            const TYPE: SchemaType = SchemaType::Tuple(&[$($type::TYPE),*]);
            fn save(&self, slot: ResultSlot<'_>) -> Result<()> {
                let mut parts = OwnedValues::none($count);
                let mut slots = parts.results();
                $(self.$position.save(slots.next()?)?;)*
                slot.put_tuple(&mut parts)
            }
            fn restore(value: Value<'_>) -> Result<Self> {
                match value.tuple() {
                    Some(parts) if parts.len() == $count => Ok(($($type::restore(parts.at($position))?,)*)),
                    _ => Err(Error::type_error(format!("expected a tuple of {}, got {}", $count, value.type_name()))),
                }
            }
        }
    };
}

tuple!(1: A 0);
tuple!(2: A 0 B 1);
tuple!(3: A 0 B 1 C 2);
tuple!(4: A 0 B 1 C 2 D 3);
tuple!(5: A 0 B 1 C 2 D 3 E 4);
tuple!(6: A 0 B 1 C 2 D 3 E 4 F 5);

macro_rules! map {
    ($([$($bounds:tt)*] $map:ty, [$key:ident $value:ident $($state:tt)*];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$key: Field + $($bounds)*, $value: Field, $($state)*> Field for $map {
            const TYPE: SchemaType = SchemaType::Dict(&$key::TYPE, &$value::TYPE);
            fn save(&self, slot: ResultSlot<'_>) -> Result<()> {
                let (mut keys, mut values) = (OwnedValues::none(self.len()), OwnedValues::none(self.len()));
                let (mut key_slots, mut value_slots) = (keys.results(), values.results());
                for (key, value) in self {
                    key.save(key_slots.next()?)?;
                    value.save(value_slots.next()?)?;
                }
                slot.put_dict([&$key::TYPE.to_string(), &$value::TYPE.to_string()], &mut keys, &mut values)
            }
            fn restore(value: Value<'_>) -> Result<Self> {
                let entries = value
                    .dict()
                    .ok_or_else(|| Error::type_error(format!("expected a dictionary, got {}", value.type_name())))??;
                entries.iter().map(|(key, value)| Ok(($key::restore(*key)?, $value::restore(*value)?))).collect()
            }
        }
    )*};
}

map! {
    [Ord] BTreeMap<K, V>, [K V];
    [Eq + Hash] HashMap<K, V, S>, [K V S: BuildHasher + Default];
}
