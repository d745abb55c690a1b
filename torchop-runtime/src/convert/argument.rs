//! What a function can take.

use super::list::List;
use super::value::{Arguments, Value};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::fake_tensor::FakeTensor;
use crate::generator::Generator;
use crate::layout::{Layout, MemoryFormat};
use crate::scalar::Scalar;
use crate::stream::Stream;
use crate::sym_bool::SymBool;
use crate::sym_float::SymFloat;
use crate::sym_int::SymInt;
use crate::tensor::Tensor;
use num_complex::Complex64;
use torchop_schema::SchemaType;
use torchop_sys::ffi;

/// A value that is not what the function takes. Becomes an error that names the function, the argument and its position.
#[derive(Debug)]
pub struct Mismatch(pub(crate) Error);

impl Mismatch {
    #[cold]
    pub(super) fn new(expected: &str, value: Value<'_>) -> Self {
        let undefined = value.is_none() && !value.is_none_itself();
        let got = if undefined {
            "None (an undefined tensor)".into()
        } else if value.is_symbolic_int() {
            "a symbolic one: torch is tracing, and a fake alone takes these; write one (`fake_of`, in a class `#[fake(…)]`)".into()
        } else {
            value.type_name()
        };
        Mismatch(Error::type_error(format!("expected {expected}, got {got}")))
    }
}

impl From<Error> for Mismatch {
    fn from(error: Error) -> Self {
        Mismatch(error)
    }
}

impl From<Mismatch> for Error {
    fn from(mismatch: Mismatch) -> Self {
        mismatch.0
    }
}

/// A Rust type that a function can take from torch.
///
/// | schema | Rust |
/// |---|---|
/// | `Tensor` | `&Tensor`, in fakes `&FakeTensor` |
/// | `Tensor(a!)` | `&mut Tensor`, in fakes `&FakeTensor` |
/// | `Tensor(a!)[]` | `&mut [Tensor]`, in fakes `List<'_, &FakeTensor>` |
/// | `int` | `i64` |
/// | `SymInt` | `i64`, in fakes [`SymInt`] |
/// | `float` | `f64`, in fakes also [`SymFloat`] |
/// | `bool` | `bool`, in fakes also [`SymBool`] |
/// | `str` | `&str` |
/// | `complex` | [`Complex64`] |
/// | `Scalar` | [`Scalar`] |
/// | `ScalarType` | [`DType`] |
/// | `Layout`, `MemoryFormat`, `Device`, `Stream`, `Generator` | the types of these names |
/// | `T?` | `Option<T>` |
/// | `T[]` | [`List<'_, T>`](List), which reads in place; `&[T]`, a copy; `Vec<T>` |
/// | `T[3]` | `[T; 3]`, or as `T[]` |
/// | `Dict(K, V)` | [`Dict<'_, K, V>`](super::Dict), in the order of insertion; `HashMap`, `BTreeMap` |
/// | `(A, B)` | `(A, B)` |
/// | a class | `&C`, where `C` is a torch class of Rust |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of an operator or method",
    label = "not an argument type",
    note = "`Tensor` is `&Tensor` (`&FakeTensor` in a fake), `int` and `SymInt` are `i64`, `float` is `f64`, `bool` is `bool`, `str` is `&str`, `T?` is `Option<T>`, `T[]` is `List<'_, T>` or `Vec<T>`, so that `Tensor[]` is `List<'_, &Tensor>`; an enum of your own derives `TorchEnum`, a struct `TorchTuple`"
)]
pub trait Argument<'s>: Sized {
    /// The type in torch's schema language.
    const TYPE: SchemaType;
    /// All that a `str` may be, if that is so.
    #[doc(hidden)]
    const WORDS: &'static [&'static str] = &[];
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
    f64, Float, "a float", value => value.float().transpose()?;
    SymFloat, Float, "a float", value => value.sym_float().transpose()?;
    SymBool, Bool, "a bool", value => value.sym_bool().transpose()?;
    bool, Bool, "a bool", value => value.boolean().transpose()?;
    Complex64, Complex, "a complex number", value => value.complex().transpose()?.map(|[re, im]| Complex64::new(re, im));
    Scalar, Scalar, "a number", value => Scalar::read(value)?;
    DType, ScalarType, "a dtype", value => coded(value, 0, 45, "a dtype")?.map(DType::from_code);
    Layout, Layout, "a layout", value => coded(value, 1, 7, "a layout")?.map(Layout::from_code);
    MemoryFormat, MemoryFormat, "a memory format", value => coded(value, 2, 3, "a memory format")?.map(MemoryFormat::from_code);
    Device, Device, "a device", value => value.device().map(|[kind, index]| Device::from_codes(kind, index));
    Stream, Stream, "a stream", value => value.stream().transpose()?.map(Stream::from_parts);
    Generator, Generator, "a generator", value => value.generator().map(Generator::from_handle);
}

/// A number that stands for one of torch's words. Python passes any number. All supported torches have those up to `certain`;
/// the bridge knows of more, by `kind`.
#[inline]
fn coded(value: Value<'_>, kind: u8, certain: i64, what: &str) -> Result<Option<i8>, Mismatch> {
    let Some(number) = value.int() else { return Ok(None) };
    match i8::try_from(number) {
        Ok(code) if (0..=certain).contains(&number) || ffi::code_is_known(kind, code) => Ok(Some(code)),
        _ => Err(no_word(what, number)),
    }
}

#[cold]
fn no_word(what: &str, number: i64) -> Mismatch {
    Mismatch(Error::value(format!("expected {what}, got {number}, which is no number of one in this torch")))
}

/// An argument that the function writes to.
#[diagnostic::do_not_recommend]
impl<'s> Argument<'s> for &'s mut Tensor {
    const TYPE: SchemaType = SchemaType::Mutable(&SchemaType::Tensor);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        // SAFETY: `Mutable` stands for an argument alone (the macros refuse it inside lists and tuples), and generated code
        // reads each argument once.
        match unsafe { value.tensor_mut() } {
            Some(handle) => Ok(Tensor::from_handle_mut(handle)),
            None => Err(Mismatch::new("a tensor", value)),
        }
    }
}

/// A list whose tensors the function writes to. The handles are the call's own, since others may have the same list: what is
/// assigned to one stays inside.
#[diagnostic::do_not_recommend]
impl<'s> Argument<'s> for &'s mut [Tensor] {
    const TYPE: SchemaType = SchemaType::Mutable(&SchemaType::List(&SchemaType::Tensor));
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let elements = elements(value)?;
        let own = (0..elements.len()).map(|index| read_element::<&Tensor>(elements, index).cloned());
        Ok(value.scratch().tensors(own.collect::<Result<_, _>>()?))
    }
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
    #[inline]
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let Some(bytes) = value.string() else { return Err(Mismatch::new("a str", value)) };
        let bytes = bytes?;
        if is_ascii(bytes) {
            // SAFETY: ASCII is UTF-8.
            return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
        }
        std::str::from_utf8(bytes).map_err(no_text)
    }
}

/// As `<[u8]>::is_ascii`, which is no faster for the short texts that arguments are, and is not inlined.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let Some(last) = bytes.last_chunk::<8>() else {
        let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
            return bytes.iter().fold(0, |bits, byte| bits | byte) < 0x80;
        };
        return (u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last)) & HIGH as u32 == 0;
    };
    let mut bits = u64::from_ne_bytes(*last);
    for word in bytes.as_chunks::<8>().0 {
        bits |= u64::from_ne_bytes(*word);
    }
    bits & HIGH == 0
}

#[cold]
fn no_text(error: std::str::Utf8Error) -> Mismatch {
    Mismatch(Error::value(format!("expected UTF-8 text, got bytes that are not: {error}")))
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for Option<T> {
    const TYPE: SchemaType = SchemaType::Optional(&T::TYPE);
    const WORDS: &'static [&'static str] = T::WORDS;
    #[inline]
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        if value.is_none() { Ok(None) } else { T::read(value).map(Some) }
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for List<'s, T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        List::new(elements(value)?)
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>> Argument<'s> for Vec<T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        Ok(List::<T>::read(value)?.iter().collect())
    }
}

/// Copied into memory of the call: on the stack if the list is short.
#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s> + Copy> Argument<'s> for &'s [T] {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let elements = elements(value)?;
        value.scratch().slice(elements.len(), |index| read_element(elements, index))
    }
}

#[diagnostic::do_not_recommend]
impl<'s> Argument<'s> for &'s [Tensor] {
    const TYPE: SchemaType = SchemaType::List(&SchemaType::Tensor);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let elements = elements(value)?;
        let pointers = value
            .scratch()
            .slice(elements.len(), |index| read_element::<&Tensor>(elements, index).map(Tensor::bits))?;
        Ok(Tensor::from_bits_slice(pointers, elements))
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Argument<'s>, const N: usize> Argument<'s> for [T; N] {
    const TYPE: SchemaType = SchemaType::Array(&T::TYPE, N as u32);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let elements = elements(value)?;
        if elements.len() != N {
            return Err(Mismatch(Error::value(format!("expected a list of {N} elements, got {}", elements.len()))));
        }
        let read: Vec<T> = (0..N).map(|index| read_element(elements, index)).collect::<Result<_, _>>()?;
        read.try_into().map_err(|_| Mismatch(Error::runtime("a list changed its length while it was read")))
    }
}

/// AOTInductor packages pass `None` for an empty list (`int[]` up to torch 2.11, `Tensor[]` in 2.15 too). Python, TorchScript and
/// typed C++ calls cannot pass it where the schema has no `?`, so that it means nothing else.
pub(crate) fn elements(value: Value<'_>) -> Result<Arguments<'_>, Mismatch> {
    match value.list() {
        Some(elements) => Ok(elements?),
        None if value.is_none_itself() => Ok(value.no_elements()),
        None => Err(Mismatch::new("a list", value)),
    }
}

pub(crate) fn read_element<'s, T: Argument<'s>>(elements: Arguments<'s>, index: usize) -> Result<T, Mismatch> {
    // Others may have the same list: two `&mut` to one element.
    const {
        assert!(
            !T::TYPE.has_mutable(),
            "`&mut Tensor` is an argument of its own, not part of a list, tuple or dictionary"
        )
    };
    T::read(elements.at(index)).map_err(|mismatch| Mismatch(mismatch.0.with_prefix(&format!("element {index}: "))))
}

pub(super) fn elements_of_tuple(value: Value<'_>, count: usize) -> Result<Arguments<'_>, Mismatch> {
    match value.tuple() {
        Some(parts) if parts.len() == count => Ok(parts),
        Some(parts) => Err(Mismatch(Error::value(format!("expected a tuple of {count}, got one of {}", parts.len())))),
        None => Err(Mismatch::new(&format!("a tuple of {count}"), value)),
    }
}

macro_rules! tuple {
    ($count:literal: $($type:ident $position:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<'s, $($type: Argument<'s>),*> Argument<'s> for ($($type,)*) {
            const TYPE: SchemaType = SchemaType::Tuple(&[$($type::TYPE),*]);
            fn read(value: Value<'s>) -> Result<Self, Mismatch> {
                let parts = elements_of_tuple(value, $count)?;
                Ok(($(read_element::<$type>(parts, $position)?,)*))
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
