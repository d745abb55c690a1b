//! Objects by handle: what torch holds of a Rust value.

use super::Class;
use super::held::{Changing, Held, Reading};
use super::object::{bits, drop_object, held_in, identity};
use crate::convert::{
    Argument, Arguments, Element, Mismatch, One, OwnedValues, ResultSlot, ResultValues, Results, Returned, Value,
    taken_one,
};
use crate::error::{OrTorch, Result};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use torchop_schema::SchemaType;
use torchop_sys::{DropFn, RawValue, ffi};

/// An object of the class `T`: a counted reference to a Rust value that torch, Python and C++ may hold as well.
///
/// As an argument of an operator or method it is the object itself, where `&T` is only borrowed for the call; as a result it
/// gives an object away, a new one or one that was taken. An object of another class, or of another library's class of the same
/// name, is refused with a `TypeError`.
///
/// ```ignore
/// #[torch_op(schema = "my_ops::newer(__torch__.torch.classes.my_ops.Counter a, __torch__.torch.classes.my_ops.Counter b) -> __torch__.torch.classes.my_ops.Counter", composite_explicit)]
/// fn newer(a: TorchRef<Counter>, b: TorchRef<Counter>) -> Result<TorchRef<Counter>> {
///     let a_is_newer = a.get()?.age < b.get()?.age;
///     Ok(if a_is_newer { a } else { b })
/// }
/// ```
#[repr(transparent)]
pub struct TorchRef<T> {
    /// A script object that holds a `Held<T>`; owned.
    value: RawValue,
    class: PhantomData<fn() -> T>,
}

// SAFETY: torch counts references to objects atomically; the value in it is Send and Sync (`Class` asks for both).
unsafe impl<T: Class> Send for TorchRef<T> {}
// SAFETY: as above.
unsafe impl<T: Class> Sync for TorchRef<T> {}

impl<T: Class> TorchRef<T> {
    /// A new object. Fails before the library is loaded: torch does not know the class then.
    pub fn new(value: T) -> Result<Self> {
        let mut made = RawValue::NONE;
        let (mut held, name) = (ManuallyDrop::new(Held::new(value)), <&T as Argument>::TYPE.to_string());
        let (object, size, alignment) = bits(&mut held);
        let drop = DropFn(drop_object::<T>);
        // SAFETY: `made` is a live value; C++ moves the object out of `held`, also on failure, and gives it to `drop` once.
        unsafe { ffi::object_new(&mut made, &name, object, size, alignment, drop, identity::<T>()) }.or_torch()?;
        Ok(TorchRef { value: made, class: PhantomData })
    }

    /// The value, to read. Waits while a method changes it; an error if that method is further up in this call.
    pub fn get(&self) -> Result<Ref<'_, T>> {
        let (value, reading) = self.held().shared()?;
        Ok(Ref { value, _reading: reading })
    }

    /// The value, to change. Waits until no method uses it; an error if one further up in this call does, or if the class has
    /// no `&mut self` method at all.
    pub fn get_mut(&self) -> Result<Changing<'_, T>> {
        self.held().exclusive()
    }

    /// Whether both are one object.
    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.held(), other.held())
    }

    fn held(&self) -> &Held<T> {
        // The bits of a value are a value; nothing is dropped.
        let values = ManuallyDrop::new(OwnedValues::of(self.value));
        match held_in::<T>(values.arguments().at(0)) {
            // SAFETY: the object lives as long as our reference to it.
            Ok(held) => unsafe { &*held },
            // Checked when it was made: an object's holder is set once.
            Err(_) => unreachable!("an object without its value"),
        }
    }
}

impl<T> Clone for TorchRef<T> {
    fn clone(&self) -> Self {
        let mut value = RawValue::NONE;
        // SAFETY: both are live values.
        unsafe { ffi::value_copy(&mut value, &self.value) };
        TorchRef { value, class: PhantomData }
    }
}

impl<T> Drop for TorchRef<T> {
    fn drop(&mut self) {
        // SAFETY: a live value that we own.
        unsafe { ffi::value_drop(&mut self.value) }
    }
}

impl<T: Class> fmt::Debug for TorchRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TorchRef<{}>", T::DEF.name)
    }
}

/// The object of a property that is read: the guard stays on the stack.
#[inline(always)] // what it gives would go through memory, whose parts are not read as they were written
pub(crate) fn read_object<T: Class>(arguments: Arguments<'_>) -> Result<Ref<'_, T>> {
    let (this, _) = arguments.split_at(1)?;
    // SAFETY: `held_in` checked it; the value keeps it alive for the call.
    let read = held_in::<T>(this.at(0)).and_then(|held| unsafe { &*held }.shared());
    let (value, reading) = read.map_err(|error| error.at_argument(0))?;
    Ok(Ref { value, _reading: reading })
}

/// A value that is read: see [`TorchRef::get`].
#[derive(Debug)]
pub struct Ref<'r, T> {
    value: &'r T,
    _reading: Option<Reading>,
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value
    }
}

#[diagnostic::do_not_recommend]
impl<'s, T: Class> Argument<'s> for TorchRef<T> {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        <&TorchRef<T>>::read(value).cloned()
    }
}

/// Where torch keeps it.
#[diagnostic::do_not_recommend]
impl<'s, T: Class> Argument<'s> for &'s TorchRef<T> {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        held_in::<T>(value)?;
        // SAFETY: the value lives for 's, holds an object of T (just checked), and `TorchRef` is transparent over it.
        Ok(unsafe { &*value.raw().cast() })
    }
}

/// Where torch keeps them.
#[diagnostic::do_not_recommend]
impl<'s, T: Class> Argument<'s> for &'s [TorchRef<T>] {
    const TYPE: SchemaType = SchemaType::List(&SchemaType::Class(T::DEF.full_name));
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        let elements = crate::convert::elements(value)?;
        for index in 0..elements.len() {
            crate::convert::read_element::<&TorchRef<T>>(elements, index)?;
        }
        if elements.len() == 0 {
            return Ok(&[]); // C++ has no address for it
        }
        // SAFETY: the list's values lie side by side and live for 's; each holds an object of T (just checked).
        Ok(unsafe { std::slice::from_raw_parts(elements.first().cast(), elements.len()) })
    }
}

#[diagnostic::do_not_recommend]
impl<T: Class> Element for TorchRef<T> {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        slot.put_owned(ManuallyDrop::new(self).value);
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Class> Element for &TorchRef<T> {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        self.clone().put(slot)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Class> One for TorchRef<T> {
    fn take(value: Value<'_>) -> Option<Self> {
        <Self as Argument>::read(value).ok()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Class> Returned for TorchRef<T> {
    const TYPES: &'static [SchemaType] = &[<Self as Element>::TYPE];
    type Called = Result<Self>;
    fn give(self, mut results: Results<'_>) -> Result<()> {
        self.put(results.next()?)
    }
    fn taken(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Self::Called {
        taken_one(call)
    }
}

/// A function that returns the class itself makes an object of it: for the implementation of `Returned` of a class.
pub fn give_object<T: Class>(results: Results<'_>, value: T) -> Result<()> {
    TorchRef::new(value)?.give(results)
}

/// The object that such a function made.
pub fn taken_object<T: Class>(call: impl FnOnce(&mut ResultValues) -> Result<()>) -> Result<TorchRef<T>> {
    taken_one(call)
}
