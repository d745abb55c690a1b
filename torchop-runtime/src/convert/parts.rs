//! Structs as tuples: what the derive `TorchTuple` stands on.
//!
//! Whether a field is borrowed or owned is not for the derive to see; the type decides. A field that torch does not know is
//! one message, of [`TuplePart`] or [`BorrowedTuplePart`]; all else is quiet about it.

use super::argument::{Argument, Mismatch, elements_of_tuple};
use super::results::{OwnedValues, ResultSlot, Results};
use super::returned::{Element, One};
use super::value::{Arguments, Value};
use crate::error::Result;
use std::marker::PhantomData;
use torchop_schema::SchemaType;

/// A field of a struct that owns all its fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a tuple",
    label = "not a type that torch knows",
    note = "use `Tensor`, `i64`, `f64`, `bool`, `String`, `Option` or `Vec` of these; what is borrowed needs a lifetime on the struct"
)]
pub trait TuplePart {}

#[diagnostic::do_not_recommend]
impl<T: One> TuplePart for T {}

/// A field of a struct that borrows some of its fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a tuple",
    label = "not a type that torch knows",
    note = "use `&Tensor`, `i64`, `f64`, `bool`, `&str`, `Option` or `Vec` of these"
)]
pub trait BorrowedTuplePart {}

#[diagnostic::do_not_recommend]
impl<T: Element> BorrowedTuplePart for T {}

/// Asserts the first.
pub const fn owned_part<T: TuplePart>() {}

/// Asserts the second.
pub const fn borrowed_part<T: BorrowedTuplePart>() {}

/// A field. Read as an argument if it can be, else as an owned value.
#[derive(Debug)]
pub struct Part<'s, T>(PhantomData<(&'s (), T)>);

impl<T> Part<'_, T> {
    /// The field.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Part(PhantomData)
    }
}

impl<T: Element> Part<'_, T> {
    /// Its type in torch's schema language.
    pub const TYPE: SchemaType = T::TYPE;

    /// Writes it.
    pub fn put(part: T, writer: &mut PartWriter<'_>) -> Result<()> {
        part.put(writer.0.next()?)
    }
}

#[allow(missing_docs)]
pub trait NoElement<T> {
    const TYPE: SchemaType = SchemaType::Unknown;
    fn put(_: T, _: &mut PartWriter<'_>) -> Result<()> {
        unreachable!("a type that its check refuses")
    }
}

impl<T> NoElement<T> for Part<'_, T> {}

/// The part at `index`, which is the field `name`: for each kind of field one trait, of which method lookup takes the first.
pub trait ReadPart<'s, T> {
    /// Reads it.
    fn read(&self, parts: Arguments<'s>, index: usize, name: &str) -> Result<T, Mismatch>;
}

impl<'s, T: Argument<'s>> ReadPart<'s, T> for &&Part<'s, T> {
    fn read(&self, parts: Arguments<'s>, index: usize, name: &str) -> Result<T, Mismatch> {
        T::read(parts.at(index)).map_err(|mismatch| Mismatch(mismatch.0.with_prefix(&format!("field `{name}`: "))))
    }
}

/// As [`ReadPart`], for what is owned: a `Tensor`, a `String`.
pub trait ReadOwnedPart<'s, T> {
    /// Reads it.
    fn read(&self, parts: Arguments<'s>, index: usize, name: &str) -> Result<T, Mismatch>;
}

impl<'s, T: One> ReadOwnedPart<'s, T> for &Part<'s, T> {
    fn read(&self, parts: Arguments<'s>, index: usize, name: &str) -> Result<T, Mismatch> {
        let value = parts.at(index);
        T::take(value).ok_or_else(|| Mismatch::new(&format!("field `{name}` of type {}", T::TYPE), value))
    }
}

/// As [`ReadPart`], for what is refused.
pub trait ReadNoPart<'s, T> {
    /// Never called.
    fn read(&self, _: Arguments<'s>, _: usize, _: &str) -> Result<T, Mismatch> {
        unreachable!("a type that its check refuses")
    }
    /// Never called.
    fn take(&self, _: Arguments<'_>, _: usize) -> Option<T> {
        None
    }
}

impl<'s, T> ReadNoPart<'s, T> for Part<'s, T> {}

/// A part of a result.
pub trait TakePart<T> {
    /// Reads the part at `index`.
    fn take(&self, parts: Arguments<'_>, index: usize) -> Option<T>;
}

impl<T: One> TakePart<T> for &Part<'_, T> {
    fn take(&self, parts: Arguments<'_>, index: usize) -> Option<T> {
        T::take(parts.at(index))
    }
}

/// The parts of a tuple of `count`.
pub fn parts(value: Value<'_>, count: usize) -> Result<Arguments<'_>, Mismatch> {
    elements_of_tuple(value, count)
}

/// Where the parts of a tuple go.
#[derive(Debug)]
pub struct PartWriter<'s>(Results<'s>);

/// Puts a tuple of `count`, whose parts `write` gives.
pub fn put_parts(
    slot: ResultSlot<'_>,
    count: usize,
    write: impl FnOnce(&mut PartWriter<'_>) -> Result<()>,
) -> Result<()> {
    let mut values = OwnedValues::none(count);
    write(&mut PartWriter(values.results()))?;
    slot.put_tuple(&mut values)
}
