//! The state of an object as values: for pickling, and for tracing.

use super::Class;
use super::object::construct;
use crate::convert::{Argument, Arguments, Element, ResultSlot, Results, Value};
use crate::error::{Error, Result};
use crate::registration::{FieldDef, StateDef};
use crate::tensor::Tensor;
use torchop_schema::SchemaType;

/// A type that a derived state can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a derived state",
    label = "field of this type",
    note = "`pickle` and `flatten` can derive from fields of type `i64`, `f64`, `bool`, `String`, `Tensor`, and `Option` and `Vec` of these"
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
        let mut values = crate::convert::OwnedValues::none(self.len());
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

/// The fields of a struct as values, in order. Derived by `pickle` or `flatten`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derived state",
    label = "its fields are needed here",
    note = "a fake method rebuilds the object from its fields: add `flatten` to `#[torch_class(name = …)]` on the struct"
)]
pub trait State: Class {
    /// Names and types.
    const FIELDS: &'static [FieldDef];
    /// Writes every field.
    fn save(&self, fields: &mut FieldWriter<'_>) -> Result<()>;
    /// Makes a value from its fields.
    fn restore(fields: &mut FieldReader<'_>) -> Result<Self>;
}

/// Where a struct's fields go.
#[derive(Debug)]
pub struct FieldWriter<'s>(Results<'s>);

impl<'s> FieldWriter<'s> {
    /// The slots.
    pub fn new(results: Results<'s>) -> Self {
        FieldWriter(results)
    }

    /// Writes the next field.
    pub fn put<F: Field>(&mut self, field: &F) -> Result<()> {
        field.save(self.0.next()?)
    }
}

/// Where a struct's fields come from.
#[derive(Debug)]
pub struct FieldReader<'s> {
    values: Arguments<'s>,
    next: usize,
    fields: &'static [FieldDef],
}

impl<'s> FieldReader<'s> {
    fn new<T: State>(values: Arguments<'s>) -> Result<Self> {
        if values.len() != T::FIELDS.len() {
            return Err(Error::type_error(format!(
                "the state of `{}` has {} fields, got {}",
                T::DEF.name,
                T::FIELDS.len(),
                values.len()
            )));
        }
        Ok(FieldReader { values, next: 0, fields: T::FIELDS })
    }

    /// Reads the next field.
    #[allow(clippy::should_implement_trait)]
    pub fn next<F: Field>(&mut self) -> Result<F> {
        let index = self.next;
        self.next += 1;
        let field = self.fields.get(index).map_or("?", |field| field.name);
        F::restore(self.values.at(index)).map_err(|error| error.with_prefix(&format!("field `{field}`: ")))
    }
}

/// The state of `T` for its definition.
pub const fn state_def<T: State>() -> StateDef {
    StateDef { fields: T::FIELDS, save: save::<T>, restore: restore::<T> }
}

fn save<T: State>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this,): (&T,) = crate::convert::ReadAll::read_all(arguments)?;
    this.save(&mut FieldWriter(results))
}

fn restore<T: State>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this, fields) = super::split_object::<T>(arguments)?;
    let value = T::restore(&mut FieldReader::new::<T>(fields)?)?;
    construct::<T, T>(this, results, value)
}

/// The new value of a settable field: the one argument after the object.
pub fn field_argument<F: Field>(arguments: Arguments<'_>) -> Result<F> {
    if arguments.len() != 1 {
        return Err(Error::type_error(format!("expected 1 argument, got {}", arguments.len())));
    }
    F::restore(arguments.at(0)).map_err(|error| error.at_argument(1))
}

/// The object that a fake method stands on: made anew from the fields, which come before the method's arguments.
pub fn restore_object<T: State>(arguments: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
    let (fields, rest) = arguments.split_at(T::FIELDS.len())?;
    Ok((T::restore(&mut FieldReader::new::<T>(fields)?)?, rest))
}
