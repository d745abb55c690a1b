//! Torch's values, opaque. This file, `results.rs` and `tags.rs` are the places in Rust that know their layout.

use super::scratch::Scratch;
use super::tags::TAGS;
use crate::error::{Error, OrTorch, Result};
use torchop_sys::{GeneratorHandle, RawValue, SymIntHandle, TensorHandle, ffi};

/// A value of torch's, borrowed for one call: an argument, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Value<'s> {
    raw: &'s RawValue,
    scratch: &'s Scratch,
}

impl<'s> Value<'s> {
    pub(crate) fn raw(self) -> &'s RawValue {
        self.raw
    }

    pub(super) fn scratch(self) -> &'s Scratch {
        self.scratch
    }

    /// Whether it is `None`, or an undefined tensor, which C++ writes for it.
    #[inline]
    pub fn is_none(self) -> bool {
        self.raw.tag == RawValue::NONE.tag || self.is_undefined()
    }

    #[inline]
    fn is_undefined(self) -> bool {
        self.raw.tag == TAGS.tensor() && self.raw.payload == TAGS.undefined()
    }

    /// The tensor, where it is a defined one. The handle is borrowed: it must not be dropped.
    #[inline]
    pub(crate) fn tensor(self) -> Option<&'s TensorHandle> {
        if self.raw.tag != TAGS.tensor() || self.raw.payload == TAGS.undefined() {
            return None;
        }
        // SAFETY: the payload of a value with the tensor tag is an at::Tensor (one pointer; checked at load), and
        // TensorHandle is transparent over it. It lives as long as the value.
        Some(unsafe { &*(&raw const self.raw.payload).cast::<TensorHandle>() })
    }

    /// The number, where it is a concrete integer.
    #[inline]
    pub(crate) fn int(self) -> Option<i64> {
        (self.raw.tag == TAGS.int()).then_some(self.raw.payload as i64)
    }

    #[inline]
    pub(crate) fn float(self) -> Option<Result<f64>> {
        if self.raw.tag == TAGS.float() {
            return Some(Ok(f64::from_bits(self.raw.payload)));
        }
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_float(value, out) }
        })
    }

    #[inline]
    pub(crate) fn boolean(self) -> Option<Result<bool>> {
        if self.raw.tag == TAGS.boolean() {
            return Some(Ok(self.raw.payload & 0xff != 0));
        }
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_bool(value, out) }
        })
    }

    pub(crate) fn complex(self) -> Option<Result<[f64; 2]>> {
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_complex(value, out) }
        })
    }

    /// Kind and index of a device.
    pub(super) fn device(self) -> Option<[i8; 2]> {
        let mut out = [0; 2];
        // SAFETY: the pointer is to a live value.
        unsafe { ffi::value_device(self.raw, &mut out) }.then_some(out)
    }

    /// Identity, kind of device and index of a stream.
    pub(super) fn stream(self) -> Option<Result<[i64; 3]>> {
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_stream(value, out) }
        })
    }

    pub(super) fn generator(self) -> Option<Result<GeneratorHandle>> {
        // SAFETY: the pointer is to a live value.
        unsafe { ffi::value_is_generator(self.raw) }.then(|| unsafe { ffi::value_generator(self.raw) }.or_torch())
    }

    /// What the bridge says of it: nothing if it is of another type.
    fn asked<T: Default>(self, ask: impl FnOnce(*const RawValue, &mut T) -> Result<bool, cxx::Exception>) -> Option<Result<T>> {
        let mut out = T::default();
        match ask(self.raw, &mut out).or_torch() {
            Ok(true) => Some(Ok(out)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The bytes of a string; C++ callers may pass what is no UTF-8.
    pub(crate) fn string(self) -> Option<Result<&'s [u8]>> {
        (self.raw.tag == TAGS.string()).then(|| {
            // SAFETY: the pointer is to a live value; the bytes live as long as it does, since strings are immutable.
            unsafe { ffi::value_string(self.raw) }.or_torch()
        })
    }

    /// The elements of a list.
    pub(crate) fn list(self) -> Option<Result<Arguments<'s>>> {
        (self.raw.tag == TAGS.list()).then(|| {
            let mut length = 0;
            // SAFETY: the pointer is to a live value.
            let first = unsafe { ffi::value_list(self.raw, &mut length) }.or_torch()?;
            // SAFETY: C++ gives the address and number of the list's values. They live and stay while the argument does: a
            // list is shared, but nobody else writes to it during the call (SAFETY.md, "Foreign code").
            Ok(unsafe { Arguments::from_raw(first, length, self.scratch) })
        })
    }

    /// The elements of a tuple.
    pub(super) fn tuple(self) -> Option<Arguments<'s>> {
        let mut length = 0;
        // SAFETY: the pointer is to a live value.
        let first = unsafe { ffi::value_tuple(self.raw, &mut length) };
        // SAFETY: as for lists; tuples are immutable.
        (!first.is_null()).then(|| unsafe { Arguments::from_raw(first, length, self.scratch) })
    }

    /// Keys and values of a dictionary, in the order of insertion.
    pub(super) fn dict(self) -> Option<Result<&'s [(Value<'s>, Value<'s>)]>> {
        // SAFETY: the pointer is to a live value.
        unsafe { ffi::value_is_dict(self.raw) }.then(|| {
            // SAFETY: as above.
            let length = unsafe { ffi::value_dict_length(self.raw) }.or_torch()?;
            let mut addresses = vec![std::ptr::null(); length * 2];
            // SAFETY: as above, with room for two addresses per entry.
            unsafe { ffi::value_dict_entries(self.raw, addresses.as_mut_ptr()) }.or_torch()?;
            let value = |address: *const RawValue| {
                // SAFETY: an address of a value in the dictionary, which lives and stays while the argument does.
                Value { raw: unsafe { &*address }, scratch: self.scratch }
            };
            self.scratch.slice(length, |index| Ok((value(addresses[2 * index]), value(addresses[2 * index + 1]))))
        })
    }

    /// A symbolic or concrete integer, owned.
    pub(crate) fn sym_int(self) -> Option<Result<SymIntHandle>> {
        // SAFETY: the pointer is to a live value.
        let is = self.int().is_some() || unsafe { ffi::value_is_sym_int(self.raw) };
        // SAFETY: as above.
        is.then(|| unsafe { ffi::value_sym_int(self.raw) }.or_torch())
    }

    /// What it is, in torch's words.
    pub(crate) fn type_name(self) -> String {
        // SAFETY: the pointer is to a live value.
        match unsafe { ffi::value_type_name(self.raw) } {
            Ok(name) => name.to_string_lossy().into_owned(),
            Err(e) => format!("a value without a type ({})", Error::from_torch(&e)),
        }
    }
}

/// The arguments of one call, borrowed from torch's stack; or the parts of a list or tuple.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'s> {
    values: &'s [RawValue],
    scratch: &'s Scratch,
}

impl<'s> Arguments<'s> {
    /// # Safety
    /// `first` points to `count` live values (or `count` is 0), which stay untouched for `'s`.
    #[inline]
    pub(crate) unsafe fn from_raw(first: *const RawValue, count: usize, scratch: &'s Scratch) -> Self {
        // SAFETY: the caller's promise.
        let values = if count == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(first, count) } };
        Arguments { values, scratch }
    }

    pub(super) fn of(values: &'s [RawValue], scratch: &'s Scratch) -> Self {
        Arguments { values, scratch }
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        self.values.len()
    }

    /// The one at `index`, which is in range.
    #[inline]
    pub(crate) fn at(self, index: usize) -> Value<'s> {
        Value { raw: &self.values[index], scratch: self.scratch }
    }

    pub(super) fn get(self, index: usize) -> Option<Value<'s>> {
        self.values.get(index).map(|raw| Value { raw, scratch: self.scratch })
    }

    /// The first `count`, and the rest; an error if there are fewer.
    pub(crate) fn split_at(self, count: usize) -> Result<(Self, Self)> {
        let scratch = self.scratch;
        match self.values.split_at_checked(count) {
            Some((a, b)) => Ok((Arguments { values: a, scratch }, Arguments { values: b, scratch })),
            None => Err(Error::type_error(format!("expected at least {count} arguments, got {}", self.values.len()))),
        }
    }
}
