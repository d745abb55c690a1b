//! The state of an object as values: for pickling, and for tracing.

use super::object::construct;
use super::{Class, Field};
use crate::convert::{Arguments, Results};
use crate::error::{Error, Result};
use crate::registration::{ClassDef, FieldDef, StateDef};

/// The fields of a struct as values, in order. Derived by `pickle` and `flatten`.
pub trait Fields: Class {
    /// Names and types.
    const FIELDS: &'static [FieldDef];
    /// Writes every field.
    fn save(&self, fields: &mut FieldWriter<'_>) -> Result<()>;
    /// Makes a value from its fields.
    fn restore(fields: &mut FieldReader<'_>) -> Result<Self>;
}

/// What tracing sees of an object: derived from the fields by `flatten`, or by functions marked `#[flatten]` and `#[unflatten]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no state that tracing could see",
    label = "its fields are needed here",
    note = "a fake method rebuilds the object from its fields: add `flatten` to `#[torch_class(name = …)]` on the struct"
)]
pub trait State: Class {
    /// Names and types of the entries.
    const FIELDS: &'static [FieldDef];
    /// Writes every entry.
    fn save(&self, fields: &mut FieldWriter<'_>) -> Result<()>;
    /// Makes a value from the entries.
    fn restore(fields: &mut FieldReader<'_>) -> Result<Self>;
}

/// A class that is pickled, by its fields or by functions marked `#[getstate]` and `#[setstate]`. Coherence refuses both at once.
pub trait Pickle {}

/// Where a struct's fields go.
#[derive(Debug)]
pub struct FieldWriter<'s>(Results<'s>);

impl<'s> FieldWriter<'s> {
    /// The slots.
    pub fn new(results: Results<'s>) -> Self {
        FieldWriter(results)
    }

    /// Room for all entries.
    pub fn results(&mut self) -> Results<'_> {
        self.0.rest()
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
    class: &'static ClassDef,
    fields: &'static [FieldDef],
}

impl<'s> FieldReader<'s> {
    fn new(class: &'static ClassDef, values: Arguments<'s>, fields: &'static [FieldDef]) -> Result<Self> {
        if values.len() != fields.len() {
            let (name, expected, got) = (class.name, fields.len(), values.len());
            return Err(Error::type_error(format!("the state of `{name}` has {expected} fields, got {got}")));
        }
        Ok(FieldReader { values, next: 0, class, fields })
    }

    /// All entries.
    pub fn arguments(&self) -> Arguments<'s> {
        self.values
    }

    /// Reads the next field.
    #[allow(clippy::should_implement_trait)]
    pub fn next<F: Field>(&mut self) -> Result<F> {
        let index = self.next;
        self.next += 1;
        let field = self.fields.get(index).map_or("?", |field| field.name);
        F::restore(self.values.at(index))
            .map_err(|error| error.with_prefix(&format!("{}: field `{field}`: ", self.class.name)))
    }
}

/// The derived state of `T`.
pub const fn fields_def<T: Fields>() -> StateDef {
    StateDef { fields: T::FIELDS, save: save_fields::<T>, restore: restore_fields::<T> }
}

/// What tracing sees of `T`.
pub const fn state_def<T: State>() -> StateDef {
    StateDef { fields: T::FIELDS, save: save::<T>, restore: restore::<T> }
}

fn save_fields<T: Fields>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this,): (&T,) = crate::convert::ReadAll::read_all(arguments)?;
    this.save(&mut FieldWriter(results))
}

fn restore_fields<T: Fields>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this, fields) = super::split_object::<T>(arguments)?;
    let value = T::restore(&mut FieldReader::new(T::DEF, fields, T::FIELDS)?)?;
    construct::<T, T>(this, results, value)
}

fn save<T: State>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this,): (&T,) = crate::convert::ReadAll::read_all(arguments)?;
    this.save(&mut FieldWriter(results))
}

fn restore<T: State>(arguments: Arguments<'_>, results: Results<'_>) -> Result<()> {
    let (this, fields) = super::split_object::<T>(arguments)?;
    let value = T::restore(&mut FieldReader::new(T::DEF, fields, T::FIELDS)?)?;
    construct::<T, T>(this, results, value)
}

/// The new value of a settable field: the one argument after the object.
#[inline]
pub fn field_argument<F: Field>(arguments: Arguments<'_>) -> Result<F> {
    if arguments.len() != 1 {
        return Err(Error::type_error(format!("expected 1 argument, got {}", arguments.len())));
    }
    F::restore(arguments.at(0)).map_err(|error| error.at_argument(1))
}

/// The object that a fake method stands on: made anew from the entries of its state, which come before the method's arguments.
pub fn restore_object<T: State>(arguments: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
    let (fields, rest) = arguments.split_at(T::FIELDS.len())?;
    Ok((T::restore(&mut FieldReader::new(T::DEF, fields, T::FIELDS)?)?, rest))
}
