//! Objects: from torch's values to `&T`, and the way in.

use super::Class;
use super::held::{Changing, Held};
use crate::convert::{Argument, Arguments, Element, Mismatch, ResultSlot, Results, Value};
use crate::error::{Error, OrTorch, Result};
use crate::registration::ClassDef;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use torchop_schema::SchemaType;
use torchop_sys::{DropFn, ffi};

pub(super) fn identity<T: Class>() -> *const u8 {
    std::ptr::from_ref::<ClassDef>(T::DEF).cast()
}

#[diagnostic::do_not_recommend]
impl<'s, T: Class> Argument<'s> for &'s T {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    #[inline]
    fn read(value: Value<'s>) -> Result<Self, Mismatch> {
        // SAFETY: `held_in` checked it; the value keeps it alive for the call.
        let (object, reading) = unsafe { &*held_in::<T>(value)? }.shared()?;
        if let Some(reading) = reading {
            value.scratch().keep_reading(reading);
        }
        Ok(object)
    }
}

/// The holder's content in an object of `T`. It lives as long as the value.
#[inline]
pub(super) fn held_in<T: Class>(value: Value<'_>) -> Result<*const Held<T>> {
    let mut problem = 0;
    // SAFETY: the pointer is to a live value.
    let object = unsafe { ffi::object_get(value.raw(), identity::<T>(), &mut problem) };
    if object.is_null() {
        return Err(wrong_object(T::DEF, value, problem));
    }
    // C++ checked that the object was made by this library for `T` (same definition address).
    Ok(object.cast())
}

/// For the types alone: torch knows an object by a handle that its Rust value does not have.
#[diagnostic::do_not_recommend]
impl<T: Class> Element for &T {
    const TYPE: SchemaType = SchemaType::Class(T::DEF.full_name);
    fn put(self, _: ResultSlot<'_>) -> Result<()> {
        Err(Error::not_implemented(format!(
            "a `{}` object cannot be passed from Rust to torch's dispatcher; call the operator's function as it is written: \
             `kernel` of its name",
            T::DEF.name
        )))
    }
}

#[cold]
fn wrong_object(class: &ClassDef, value: Value<'_>, problem: u8) -> Error {
    let name = class.name;
    match problem {
        2 => Error::runtime(format!(
            "the `{name}` object was never initialised: make it with `torch.classes.{}(…)`",
            name.replace("::", ".")
        )),
        3 => {
            Error::type_error(format!("expected an object of class `{name}` made by this library, got another object"))
        }
        _ => Error::type_error(format!("expected a `{name}` object, got {}", value.type_name())),
    }
}

/// The object of a method that changes it, and the arguments after it.
#[inline(always)] // what it gives would go through memory, whose parts are not read as they were written
pub(crate) fn changing_object<T: Class>(arguments: Arguments<'_>) -> Result<(Changing<'_, T>, Arguments<'_>)> {
    let (this, rest) = arguments.split_at(1)?;
    // SAFETY: `held_in` checked it; the value keeps it alive for the call.
    let this = held_in::<T>(this.at(0)).and_then(|held| unsafe { &*held }.exclusive());
    Ok((this.map_err(|error| error.at_argument(0))?, rest))
}

/// An object that has no Rust value yet.
#[derive(Debug)]
pub struct Unset<'s, T>(Value<'s>, PhantomData<fn() -> T>);

/// Takes the object of a constructor off the arguments.
#[inline(always)] // what it gives would go through memory, whose parts are not read as they were written
pub fn split_object<T: Class>(arguments: Arguments<'_>) -> Result<(Unset<'_, T>, Arguments<'_>)> {
    let (this, rest) = arguments.split_at(1)?;
    Ok((Unset(this.at(0), PhantomData), rest))
}

/// What a constructor returns: `Self`, or `Result<Self>`.
#[diagnostic::on_unimplemented(
    message = "a constructor of `{T}` cannot return `{Self}`",
    label = "not the class",
    note = "`#[init]` returns `Self` or `Result<Self>`"
)]
pub trait Constructed<T> {
    #[doc(hidden)]
    fn constructed(self) -> Result<T>;
}

#[diagnostic::do_not_recommend]
impl<T> Constructed<T> for T {
    fn constructed(self) -> Result<T> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: Into<Error>> Constructed<T> for std::result::Result<T, E> {
    fn constructed(self) -> Result<T> {
        self.map_err(Into::into)
    }
}

/// Puts a new Rust value into its object. The result of the constructor is torch's `None`.
pub fn construct<T: Class, C: Constructed<T>>(this: Unset<'_, T>, _results: Results<'_>, value: C) -> Result<()> {
    let mut held = ManuallyDrop::new(Held::new(value.constructed()?));
    let (object, size, alignment) = bits(&mut held);
    // SAFETY: the value is live; C++ moves the object out of `held`, also on failure, and gives it to `drop_object::<T>` once.
    unsafe { ffi::object_set(this.0.raw(), object, size, alignment, DropFn(drop_object::<T>), identity::<T>()) }
        .or_torch()
}

/// For `object_set` and `object_new`, which move it: where it lies, its size and its alignment.
pub(super) fn bits<T>(held: &mut ManuallyDrop<Held<T>>) -> (*mut u8, usize, usize) {
    (std::ptr::from_mut(held).cast(), size_of::<Held<T>>(), align_of::<Held<T>>())
}

/// # Safety
/// `object` is a `Held<T>` that is not used again.
pub(super) unsafe extern "C" fn drop_object<T: Class>(object: *mut u8) {
    let dropped = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::drop_in_place(object.cast::<Held<T>>()) };
    }));
    if let Err(payload) = dropped {
        // Nobody to tell: destructors cannot fail in C++ or Python.
        crate::tell::tell(format_args!("Drop of {} {}", T::DEF.name, crate::op::caught(payload)));
    }
}
