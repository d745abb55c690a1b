//! What a function can take.

use super::list::List;
use super::value::Value;
use crate::error::{Error, Result};
use crate::fake_tensor::FakeTensor;
use crate::sym_int::SymInt;
use crate::tensor::Tensor;
use torchop_schema::SchemaType;

/// A value that is not what the function takes. Becomes an error that names the function, the argument and its position.
#[derive(Debug)]
pub struct Mismatch(pub(crate) Error);

impl Mismatch {
    #[cold]
    fn new(expected: &str, value: Value<'_>) -> Self {
        Mismatch(Error::type_error(format!("expected {expected}, got {}", value.type_name())))
    }
}

impl From<Error> for Mismatch {
    fn from(error: Error) -> Self {
        Mismatch(error)
    }
}

/// A Rust type that a function can take from torch.
///
/// Implemented for `&Tensor` (`Tensor`), `i64` (`int`, and `SymInt` where sizes are concrete), [`SymInt`] (`SymInt`, in
/// fakes), `f64` (`float`), `bool`, `&str` (`str`), `Option` of these (`T?`), [`List`] and `Vec` of these (`T[]`), and
/// references to torch classes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of an operator or method",
    label = "not an argument type",
    note = "`Tensor` is `&Tensor` (`&FakeTensor` in a fake), `int` and `SymInt` are `i64`, `float` is `f64`, `bool` is `bool`, `str` is `&str`, `T?` is `Option<T>`, `T[]` is `List<'_, T>` or `Vec<T>`"
)]
pub trait Argument<'s>: Sized {
    /// The type in torch's schema language.
    const TYPE: SchemaType;
    #[doc(hidden)]
    fn read(value: Value<'s>) -> Result<Self, Mismatch>;
}

macro_rules! argument {
    ($($type:ty, $schema:ident, $expected:literal, $value:ident => $read:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'s> Argument<'s> for $type {
            const TYPE: SchemaType = SchemaType::$schema;
            #[inline]
            fn read($value: Value<'s>) -> Result<Self, Mismatch> {
                match $read {
                    Some(read) => Ok(read),
                    None => Err(Mismatch::new($expected, $value)),
                }
            }
        }
    )*};
}

argument! {
    &'s Tensor, Tensor, "a tensor", value => value.tensor().map(Tensor::from_handle);
    &'s FakeTensor, FakeTensor, "a tensor", value => value.tensor().map(Tensor::from_handle).map(FakeTensor::from_tensor);
    i64, Int, "an int", value => value.int();
    f64, Float, "a float", value => value.float();
    bool, Bool, "a bool", value => value.boolean();
}

#[diagnostic::do_not_recommend]
impl<'s> Argument<'s> for SymInt {
    const TYPE: SchemaType = SchemaType::SymInt;
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        match value.sym_int() {
            Some(read) => Ok(SymInt::from_handle(read?)),
            None => Err(Mismatch::new("an int", value)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'s> Argument<'s> for &'s str {
    const TYPE: SchemaType = SchemaType::Str;
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        match value.string() {
            Some(bytes) => match std::str::from_utf8(bytes?) {
                Ok(text) => Ok(text),
                Err(e) => Err(Mismatch(Error::value(format!("expected UTF-8 text, got bytes that are not: {e}")))),
            },
            None => Err(Mismatch::new("a str", value)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for Option<T> {
    const TYPE: SchemaType = SchemaType::Optional(&T::TYPE);
    #[inline]
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        if value.is_none() { Ok(None) } else { T::read(value).map(Some) }
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for List<'s, T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        match value.list() {
            Some(values) => List::new(values?),
            None => Err(Mismatch::new("a list", value)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for Vec<T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        Ok(List::<T>::read(value)?.iter().collect())
    }
}
