//! What a function can return, and what a call through the dispatcher gives back.

use super::argument::Argument;
use super::list::List;
use super::results::{ArgumentSlot, LentValues, OwnedValues, ResultSlot, Results, plain_number, take_tensor};
use super::scratch::Scratch;
use super::value::{Arguments, Value};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::fake_tensor::FakeTensor;
use crate::generator::Generator;
use crate::layout::{Layout, MemoryFormat};
use crate::scalar::Scalar;
use crate::stream::Stream;
use crate::sym_int::SymInt;
use crate::tensor::Tensor;
use num_complex::Complex64;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use torchop_schema::SchemaType;
use torchop_sys::RawValue;

/// One value that goes to torch, by move or by copy: an argument of a call, a result, an element of a list, a field.
#[diagnostic::on_unimplemented(
    message = "torch cannot be given a `{Self}`",
    label = "not a type that torch knows",
    note = "use `Tensor`, `i64`, `f64`, `bool`, `String`, `&str`, `Option` or `Vec` of these"
)]
pub trait Element: Sized {
    /// The type in torch's schema language.
    const TYPE: SchemaType;
    #[doc(hidden)]
    fn put(self, slot: ResultSlot<'_>) -> Result<()>;
    /// As an argument of a call that ends before what `self` refers to does: what is borrowed may be lent.
    #[doc(hidden)]
    #[inline]
    fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
        self.put(slot.owned())
    }
    /// The same for a slice.
    #[doc(hidden)]
    #[inline]
    fn lend_slice(items: &[Self], slot: ArgumentSlot<'_>) -> Result<()>
    where
        Self: Clone,
    {
        put_list(items.iter().cloned(), slot.owned())
    }
}

/// An [`Element`] that can also be read back as an owned value: a result.
#[diagnostic::on_unimplemented(
    message = "an operator or method cannot return `{Self}`",
    label = "not a return type",
    note = "return `Tensor`, `i64`, `f64`, `bool`, `String`, `Option` or `Vec` of these, a tuple of these, `()`, or `Result` of any; an enum of your own derives `TorchEnum`, a struct `TorchTuple`"
)]
pub trait One: Element {
    #[doc(hidden)]
    fn take(value: Value<'_>) -> Option<Self>;
    /// The same of a value that nobody else needs.
    #[doc(hidden)]
    #[inline]
    fn take_out(value: &mut RawValue) -> Option<Self> {
        read_one(value, Self::take)
    }
}

macro_rules! element {
    ($($type:ty, $schema:ident, ($this:ident, $slot:ident) => $put:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Element for $type {
            const TYPE: SchemaType = SchemaType::$schema;
            #[inline]
            fn put(self, $slot: ResultSlot<'_>) -> Result<()> {
                let $this = self;
                $put;
                Ok(())
            }
        }
    )*};
}

macro_rules! tensor_reference {
    ($($type:ty, $schema:ident, $this:ident => $tensor:expr, |$items:ident, $slot:ident| $lend:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Element for $type {
            const TYPE: SchemaType = SchemaType::$schema;
            #[inline]
            fn put(self, slot: ResultSlot<'_>) -> Result<()> {
                let $this = self;
                slot.put_tensor($tensor.clone().into_handle());
                Ok(())
            }
            #[inline]
            fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
                let $this = self;
                slot.lend_tensor($tensor.bits());
                Ok(())
            }
            #[inline]
            fn lend_slice($items: &[Self], $slot: ArgumentSlot<'_>) -> Result<()> {
                $lend
            }
        }
    )*};
}

tensor_reference! {
    &Tensor, Tensor, this => this, |items, slot| slot.lend_tensor_references(items);
    &FakeTensor, FakeTensor, this => this.as_tensor(), |items, slot| put_list(items.iter().copied(), slot.owned());
}

#[diagnostic::do_not_recommend]
impl Element for i64 {
    const TYPE: SchemaType = SchemaType::Int;
    #[inline]
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        slot.put_int(self);
        Ok(())
    }
    #[inline]
    fn lend_slice(items: &[Self], slot: ArgumentSlot<'_>) -> Result<()> {
        slot.lend_ints(items)
    }
}

#[diagnostic::do_not_recommend]
impl Element for Tensor {
    const TYPE: SchemaType = SchemaType::Tensor;
    #[inline]
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        slot.put_tensor(self.into_handle());
        Ok(())
    }
    #[inline]
    fn lend_slice(items: &[Self], slot: ArgumentSlot<'_>) -> Result<()> {
        slot.lend_tensors(items)
    }
}

element! {
    FakeTensor, FakeTensor, (this, slot) => slot.put_tensor(this.into_tensor().into_handle());
    f64, Float, (this, slot) => slot.put_float(this);
    bool, Bool, (this, slot) => slot.put_bool(this);
    SymInt, SymInt, (this, slot) => slot.put_sym_int(this.into_handle());
    Complex64, Complex, (this, slot) => slot.put_complex([this.re, this.im])?;
    Scalar, Scalar, (this, slot) => this.put(slot)?;
    DType, ScalarType, (this, slot) => slot.put_int(i64::from(this.code()));
    Layout, Layout, (this, slot) => slot.put_int(i64::from(this.code()));
    MemoryFormat, MemoryFormat, (this, slot) => slot.put_int(i64::from(this.code()));
    Device, Device, (this, slot) => slot.put_device(this.codes())?;
    Stream, Stream, (this, slot) => slot.put_stream(this.id, this.device.codes())?;
    Generator, Generator, (this, slot) => slot.put_generator(this.into_handle());
    &Generator, Generator, (this, slot) => slot.put_generator(this.clone().into_handle());
    String, Str, (this, slot) => slot.put_string(&this)?;
    &str, Str, (this, slot) => slot.put_string(this)?;
}

/// For calls of operators that write to their argument: the same tensor, by another handle.
#[diagnostic::do_not_recommend]
impl Element for &mut [Tensor] {
    const TYPE: SchemaType = SchemaType::Mutable(&SchemaType::List(&SchemaType::Tensor));
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        Element::put(&*self, slot)
    }
}

impl Element for &mut Tensor {
    const TYPE: SchemaType = SchemaType::Mutable(&SchemaType::Tensor);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        Element::put(&*self, slot)
    }
    // The bridge makes a handle of its own for what is written.
    #[inline]
    fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
        Element::lend(&*self, slot)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Element for Option<T> {
    const TYPE: SchemaType = SchemaType::Optional(&T::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        match self {
            Some(value) => value.put(slot),
            None => Ok(()),
        }
    }
    #[inline]
    fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
        match self {
            Some(value) => value.lend(slot),
            None => Ok(()),
        }
    }
}

pub(super) fn put_list<T: Element>(items: impl ExactSizeIterator<Item = T>, slot: ResultSlot<'_>) -> Result<()> {
    let mut values = OwnedValues::none(items.len());
    let mut slots = values.results();
    for item in items {
        item.put(slots.next()?)?;
    }
    slot.put_list(&T::TYPE.to_string(), &mut values)
}

#[diagnostic::do_not_recommend]
impl<T: Element> Element for Vec<T> {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        put_list(self.into_iter(), slot)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element + Clone> Element for &[T] {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        put_list(self.iter().cloned(), slot)
    }
    #[inline]
    fn lend(self, slot: ArgumentSlot<'_>) -> Result<()> {
        T::lend_slice(self, slot)
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Element + Argument<'s>> Element for List<'s, T> {
    const TYPE: SchemaType = SchemaType::List(&<T as Element>::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        let elements: Vec<T> = self.iter().collect();
        put_list(elements.into_iter(), slot)
    }
}

macro_rules! one {
    ($($type:ty, $value:ident => $take:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl One for $type {
            fn take($value: Value<'_>) -> Option<Self> { $take }
        }
    )*};
}

#[diagnostic::do_not_recommend]
impl One for Tensor {
    fn take(value: Value<'_>) -> Option<Self> {
        value.tensor().map(|handle| Tensor::from_handle(handle).clone())
    }
    #[inline]
    fn take_out(value: &mut RawValue) -> Option<Self> {
        take_tensor(value).map(Tensor::from_owned_handle)
    }
}

one! {
    FakeTensor, value => value.tensor().map(|handle| FakeTensor::from_owned(Tensor::from_handle(handle).clone()));
    i64, value => value.int();
    f64, value => value.float()?.ok();
    bool, value => value.boolean()?.ok();
    Complex64, value => <Self as Argument>::read(value).ok();
    DType, value => <Self as Argument>::read(value).ok();
    Layout, value => <Self as Argument>::read(value).ok();
    MemoryFormat, value => <Self as Argument>::read(value).ok();
    Device, value => <Self as Argument>::read(value).ok();
    Stream, value => <Self as Argument>::read(value).ok();
    Generator, value => <Self as Argument>::read(value).ok();
    SymInt, value => value.sym_int()?.ok().map(SymInt::from_handle);
    String, value => String::from_utf8(value.string()?.ok()?.to_vec()).ok();
}

#[diagnostic::do_not_recommend]
impl One for Scalar {
    fn take(value: Value<'_>) -> Option<Self> {
        <Self as Argument>::read(value).ok()
    }
    #[inline]
    fn take_out(value: &mut RawValue) -> Option<Self> {
        plain_number(value).or_else(|| read_one(value, Self::take))
    }
}

#[diagnostic::do_not_recommend]
impl<T: One> One for Option<T> {
    fn take(value: Value<'_>) -> Option<Self> {
        if value.is_none() { Some(None) } else { T::take(value).map(Some) }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> Element for [T; N] {
    const TYPE: SchemaType = SchemaType::List(&T::TYPE);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        put_list(self.into_iter(), slot)
    }
}

#[diagnostic::do_not_recommend]
impl<T: One, const N: usize> One for [T; N] {
    fn take(value: Value<'_>) -> Option<Self> {
        Vec::take(value)?.try_into().ok()
    }
}

#[diagnostic::do_not_recommend]
impl<T: One> One for Vec<T> {
    fn take(value: Value<'_>) -> Option<Self> {
        let values = value.list()?.ok()?;
        (0..values.len()).map(|index| T::take(values.at(index))).collect()
    }
}

macro_rules! tuple {
    ($count:literal: $($type:ident $position:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: Element),*> Element for ($($type,)*) {
            const TYPE: SchemaType = SchemaType::Tuple(&[$($type::TYPE),*]);
            fn put(self, slot: ResultSlot<'_>) -> Result<()> {
                let mut values = OwnedValues::none($count);
                let mut slots = values.results();
                $(self.$position.put(slots.next()?)?;)*
                slot.put_tuple(&mut values)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($type: One),*> One for ($($type,)*) {
            fn take(value: Value<'_>) -> Option<Self> {
                let parts = value.tuple().filter(|parts| parts.len() == $count)?;
                Some(($($type::take(parts.at($position))?,)*))
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

/// What an operator's or method's function returns: one value, a tuple of values, `()`, each plain or in a `Result`. One
/// tuple as one value is `((A, B),)`.
#[diagnostic::on_unimplemented(
    message = "an operator or method cannot return `{Self}`",
    label = "not a return type",
    note = "return `Tensor`, `i64`, `f64`, `bool`, `String`, `Option` or `Vec` of these, a tuple of these, `()`, or `Result` of any; an enum of your own derives `TorchEnum`, a struct `TorchTuple`"
)]
pub trait Returned: Sized {
    /// The types in torch's schema language.
    const TYPES: &'static [SchemaType];
    /// What a call through the dispatcher returns: a `Result`, since torch can fail where the function cannot.
    type Called;
    #[doc(hidden)]
    fn give(self, results: Results<'_>) -> Result<()>;
    #[doc(hidden)]
    fn taken(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Self::Called;
}

/// The results of a call.
pub type ResultValues = [RawValue];

/// What `read` makes of one value.
fn read_one<T>(value: &RawValue, read: impl FnOnce(Value<'_>) -> T) -> T {
    let scratch = Scratch::new();
    // SAFETY: a live value, which nobody writes to meanwhile.
    read(unsafe { Arguments::from_raw(value, 1, &scratch) }.at(0))
}

#[cold]
fn surprising(value: &RawValue, position: usize) -> Error {
    let got = read_one(value, |value| value.type_name());
    Error::type_error(format!(
        "the operator returned {got} as result {position}, which is not what its Rust definition says"
    ))
}

macro_rules! single {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Returned for $type {
            const TYPES: &'static [SchemaType] = &[<Self as Element>::TYPE];
            type Called = Result<Self>;
            #[inline]
            fn give(self, mut results: Results<'_>) -> Result<()> {
                self.put(results.next()?)
            }
            #[inline(always)]
            fn taken(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Self::Called {
                taken_one(call)
            }
        }
    )*};
}

/// The one result of a call through the dispatcher.
#[inline(always)]
pub fn taken_one<T: One>(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Result<T> {
    let mut values = LentValues::<1>::none();
    call(values.values())?;
    T::take_out(&mut values[0]).ok_or_else(|| surprising(&values[0], 0))
}

single! {
    [] Tensor; [] FakeTensor; [] i64; [] f64; [] bool; [] SymInt; [] String; [] Complex64; [] Scalar; [] DType; [] Layout;
    [] MemoryFormat; [] Device; [] Stream; [] Generator; [T: One] Option<T>; [T: One] Vec<T>; [T: One, const N: usize] [T; N];
    [K: One + Ord, V: One] BTreeMap<K, V>; [K: One + Eq + Hash, V: One, S: BuildHasher + Default] HashMap<K, V, S>;
}

macro_rules! several {
    ($count:literal: $($type:ident $position:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: One),*> Returned for ($($type,)*) {
            const TYPES: &'static [SchemaType] = &[$($type::TYPE),*];
            type Called = Result<Self>;
            #[allow(unused_mut, unused_variables)]
            fn give(self, mut results: Results<'_>) -> Result<()> {
                $(self.$position.put(results.next()?)?;)*
                Ok(())
            }
            #[allow(unused_variables, clippy::unused_unit)]
            #[inline(always)]
            fn taken(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Self::Called {
                let mut values = LentValues::<$count>::none();
                call(values.values())?;
                Ok(($(
                    $type::take_out(&mut values[$position]).ok_or_else(|| surprising(&values[$position], $position))?,
                )*))
            }
        }
    };
}

several!(0: );
several!(1: A 0);
several!(2: A 0 B 1);
several!(3: A 0 B 1 C 2);
several!(4: A 0 B 1 C 2 D 3);
several!(5: A 0 B 1 C 2 D 3 E 4);
several!(6: A 0 B 1 C 2 D 3 E 4 F 5);
several!(7: A 0 B 1 C 2 D 3 E 4 F 5 G 6);
several!(8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
several!(9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);

#[diagnostic::do_not_recommend]
impl<T: Returned, E: Into<Error>> Returned for std::result::Result<T, E> {
    const TYPES: &'static [SchemaType] = T::TYPES;
    type Called = T::Called;
    #[inline]
    fn give(self, results: Results<'_>) -> Result<()> {
        match self {
            Ok(value) => value.give(results),
            Err(error) => Err(error.into()),
        }
    }
    fn taken(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Self::Called {
        T::taken(call)
    }
}
