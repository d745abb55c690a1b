//! Torch's values, opaque. This file, `results.rs` and `tags.rs` are the places in Rust that know their layout.

use super::scratch::Scratch;
use super::tags::TAGS;
use crate::error::{Error, OrTorch, Result};
use crate::sym_bool::SymBool;
use crate::sym_float::SymFloat;
use torchop_sys::{GeneratorHandle, RawValue, SymIntHandle, TensorHandle, ffi};

/// A value of torch's, borrowed for one call: an argument, or a part of one.
///
/// Held by address, not by reference: a mutable argument is the only one that looks at its value.
#[derive(Clone, Copy, Debug)]
pub struct Value<'s> {
    address: *const RawValue,
    scratch: &'s Scratch,
}

impl<'s> Value<'s> {
    /// For the bridge.
    pub(crate) fn raw(self) -> *const RawValue {
        self.address
    }

    /// The bits, copied.
    #[inline]
    fn bits(self) -> RawValue {
        // SAFETY: the address of a live value, which nobody writes to for `'s` but the holder of a mutable argument, and that
        // value is read once.
        unsafe { *self.address }
    }

    pub(crate) fn scratch(self) -> &'s Scratch {
        self.scratch
    }

    /// Whether it is `None`, or an undefined tensor, which C++ writes for it.
    #[inline]
    pub fn is_none(self) -> bool {
        let bits = self.bits();
        bits.tag == RawValue::NONE.tag || (bits.tag == TAGS.tensor() && bits.payload == TAGS.undefined())
    }

    /// Whether it is `None`, and no undefined tensor.
    pub(super) fn is_none_itself(self) -> bool {
        self.bits().tag == RawValue::NONE.tag
    }

    /// The tensor, where it is a defined one. The handle is borrowed: it must not be dropped.
    #[inline]
    pub(crate) fn tensor(self) -> Option<&'s TensorHandle> {
        let bits = self.bits();
        if bits.tag != TAGS.tensor() || bits.payload == TAGS.undefined() {
            return None;
        }
        // SAFETY: the payload of a value with the tensor tag is an at::Tensor (one pointer; checked at load), and
        // TensorHandle is transparent over it. It lives as long as the value.
        Some(unsafe { &*(&raw const (*self.address).payload).cast::<TensorHandle>() })
    }

    /// The same for a mutable argument: the handle may be replaced by another, of which torch then drops the reference.
    ///
    /// # Safety
    /// The value is an argument on torch's stack (no element of a list, which others may share), read once.
    pub(super) unsafe fn tensor_mut(self) -> Option<&'s mut TensorHandle> {
        self.tensor()?;
        // SAFETY: as for `tensor`. The bridge owns the stack and lets the kernel write to it; each argument is a value of its
        // own there, and the caller promises that this one is read once.
        Some(unsafe { &mut *(&raw mut (*self.address.cast_mut()).payload).cast::<TensorHandle>() })
    }

    /// The number, where it is a concrete integer.
    #[inline]
    pub(crate) fn int(self) -> Option<i64> {
        let bits = self.bits();
        (bits.tag == TAGS.int()).then_some(bits.payload as i64)
    }

    #[inline]
    pub(crate) fn float(self) -> Option<Result<f64>> {
        let bits = self.bits();
        if bits.tag == TAGS.float() {
            return Some(Ok(f64::from_bits(bits.payload)));
        }
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_float(value, out) }
        })
    }

    #[inline]
    pub(crate) fn boolean(self) -> Option<Result<bool>> {
        let bits = self.bits();
        if bits.tag == TAGS.boolean() {
            return Some(Ok(bits.payload & 0xff != 0));
        }
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_bool(value, out) }
        })
    }

    #[inline]
    pub(crate) fn complex(self) -> Option<Result<[f64; 2]>> {
        let bits = self.bits();
        if bits.tag != TAGS.complex() {
            return None;
        }
        if let Some(parts) = self.words(TAGS.in_complex()) {
            return Some(Ok(parts.map(f64::from_bits)));
        }
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_complex(value, out) }
        })
    }

    /// The number, where it is an integer of at least 0, also one too large for `i64`.
    pub(crate) fn uint(self) -> Option<Result<u64>> {
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_uint(value, out) }
        })
    }

    /// Kind and index of a device.
    pub(super) fn device(self) -> Option<[i8; 2]> {
        let bits = self.bits();
        (bits.tag == TAGS.device()).then_some([bits.payload as i8, (bits.payload >> 8) as i8])
    }

    /// Two words of the object that the payload points to, `at` bytes into it, if that is known (not 0).
    #[inline]
    fn words(self, at: u32) -> Option<[u64; 2]> {
        // SAFETY: the caller has seen the tag of the type that `at` was learned from: there are two words at that place in
        // objects of this type (checked at load), and the object lives as long as the value.
        (at != 0).then(|| unsafe { *(self.bits().payload as *const u8).add(at as usize).cast::<[u64; 2]>() })
    }

    /// Identity, kind of device and index of a stream.
    pub(super) fn stream(self) -> Option<Result<[i64; 3]>> {
        self.asked(|value, out| {
            // SAFETY: the pointer is to a live value.
            unsafe { ffi::value_stream(value, out) }
        })
    }

    pub(super) fn generator(self) -> Option<GeneratorHandle> {
        // SAFETY: the pointer is to a live value.
        (self.bits().tag == TAGS.generator()).then(|| unsafe { ffi::value_generator(self.address) })
    }

    /// What the bridge says of it: nothing if it is of another type.
    fn asked<T: Default>(
        self,
        ask: impl FnOnce(*const RawValue, &mut T) -> Result<bool, cxx::Exception>,
    ) -> Option<Result<T>> {
        let mut out = T::default();
        match ask(self.address, &mut out).or_torch() {
            Ok(true) => Some(Ok(out)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The bytes of a string; C++ callers may pass what is no UTF-8.
    #[inline]
    pub(crate) fn string(self) -> Option<Result<&'s [u8]>> {
        if self.bits().tag != TAGS.string() {
            return None;
        }
        if let Some([first, length]) = self.words(TAGS.in_string()) {
            // SAFETY: address and length of the bytes of a live string, which are immutable and never null.
            return Some(Ok(unsafe { std::slice::from_raw_parts(first as *const u8, length as usize) }));
        }
        // SAFETY: the pointer is to a live value; the bytes live as long as it does, since strings are immutable.
        Some(unsafe { ffi::value_string(self.address) }.or_torch())
    }

    /// The elements of a list.
    #[inline]
    pub(crate) fn list(self) -> Option<Result<Arguments<'s>>> {
        (self.bits().tag == TAGS.list()).then(|| self.private()?.elements())
    }

    /// The value itself, or a copy that the call holds, where others have the same list or dictionary and could write to it
    /// meanwhile: TorchScript's containers in Python are torch's own.
    #[inline]
    fn private(self) -> Result<Self> {
        // SAFETY: the pointer is to a live value.
        if unsafe { ffi::value_is_shared(self.address) } { self.copied() } else { Ok(self) }
    }

    #[cold]
    fn copied(self) -> Result<Self> {
        // SAFETY: the pointers are to a live list or dictionary, and to `None`.
        let address = self.scratch.value(|to| unsafe { ffi::value_copy_container(self.address, to) }.or_torch())?;
        Ok(Value { address, ..self })
    }

    /// Of a list that is nobody else's.
    #[inline]
    fn elements(self) -> Result<Arguments<'s>> {
        if let Some([first, end]) = self.words(TAGS.in_list()) {
            let length = (end - first) as usize / size_of::<RawValue>();
            // SAFETY: as below.
            return Ok(unsafe { Arguments::from_raw(first as *const RawValue, length, self.scratch) });
        }
        let mut length = 0;
        // SAFETY: the pointer is to a live value.
        let first = unsafe { ffi::value_list(self.address, &mut length) }.or_torch()?;
        // SAFETY: C++ gives the address and number of the list's values. They live and stay while the argument does, since
        // nobody else has the list.
        Ok(unsafe { Arguments::from_raw(first, length, self.scratch) })
    }

    /// A list without elements, with this value's scratch.
    pub(super) fn no_elements(self) -> Arguments<'s> {
        Arguments::of(&[], self.scratch)
    }

    /// The elements of a tuple.
    pub(crate) fn tuple(self) -> Option<Arguments<'s>> {
        let mut length = 0;
        // SAFETY: the pointer is to a live value.
        let first = unsafe { ffi::value_tuple(self.address, &mut length) };
        // SAFETY: as for lists; tuples are immutable.
        (!first.is_null()).then(|| unsafe { Arguments::from_raw(first, length, self.scratch) })
    }

    /// Keys and values of a dictionary, in the order of insertion.
    pub(crate) fn dict(self) -> Option<Result<&'s [(Value<'s>, Value<'s>)]>> {
        // SAFETY: the pointer is to a live value, and there is room for no entry.
        let length = unsafe { ffi::value_dict(self.address, std::ptr::null_mut(), 0) };
        (length >= 0).then(|| Ok(self.private()?.entries()))
    }

    /// Of a dictionary that is nobody else's.
    fn entries(self) -> &'s [(Value<'s>, Value<'s>)] {
        const FEW: usize = 16;
        let value = |address: *const RawValue| Value { address, scratch: self.scratch };
        let entries_of = |entries: &[[*const RawValue; 2]]| {
            self.scratch.slice_of(entries.len(), |index| entries[index].map(value).into())
        };
        let mut few = [[std::ptr::null(); 2]; FEW];
        // SAFETY: the pointer is to a live value, and there is room for FEW entries.
        let length = unsafe { ffi::value_dict(self.address, few.as_mut_ptr(), FEW) } as usize;
        // Each is the address of a value in the dictionary, which lives and stays while the argument does.
        if let Some(few) = few.get(..length) {
            return entries_of(few);
        }
        let mut many = vec![[std::ptr::null(); 2]; length];
        // SAFETY: as above, with room for all.
        unsafe { ffi::value_dict(self.address, many.as_mut_ptr(), length) };
        entries_of(&many)
    }

    /// Whether it is an integer that torch traces; torch calls its type `int` too.
    pub(crate) fn is_symbolic_int(self) -> bool {
        // SAFETY: the pointer is to a live value.
        self.int().is_none() && unsafe { ffi::value_is_sym_int(self.address) }
    }

    /// A symbolic or concrete integer, owned.
    pub(crate) fn sym_int(self) -> Option<Result<SymIntHandle>> {
        let is = self.int().is_some() || self.is_symbolic_int();
        // SAFETY: the pointer is to a live value.
        is.then(|| unsafe { ffi::value_sym_int(self.address) }.or_torch())
    }

    /// A symbolic or concrete floating-point number.
    pub(super) fn sym_float(self) -> Option<Result<SymFloat>> {
        // SAFETY: the pointer is to a live value.
        let read = unsafe { ffi::value_sym_float(self.address) }.or_torch();
        read.map(|number| (!number.is_null()).then(|| SymFloat::from_bridge(number))).transpose()
    }

    /// A condition, symbolic or known.
    pub(super) fn sym_bool(self) -> Option<Result<SymBool>> {
        // SAFETY: the pointer is to a live value.
        let read = unsafe { ffi::value_sym_bool(self.address) }.or_torch();
        read.map(|number| (!number.is_null()).then(|| SymBool::from_bridge(number))).transpose()
    }

    /// What it is, in torch's words.
    pub(crate) fn type_name(self) -> String {
        // SAFETY: the pointer is to a live value.
        match unsafe { ffi::value_type_name(self.address) } {
            Ok(name) => name.to_string_lossy().into_owned(),
            Err(e) => format!("a value without a type ({})", Error::from_torch(&e)),
        }
    }
}

// By value: a message that borrows `count` keeps the compiler from seeing that the index is in range.
#[cold]
#[allow(clippy::panic)] // as slices do; callers check the number of arguments first
fn out_of_range(index: usize, count: usize) -> ! {
    panic!("argument {index} of {count}")
}

/// The arguments of one call, borrowed from torch's stack; or the parts of a list or tuple.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'s> {
    first: *const RawValue,
    count: usize,
    /// How many arguments of the call stand before these: an object, or its fields.
    before: usize,
    scratch: &'s Scratch,
}

impl<'s> Arguments<'s> {
    /// # Safety
    /// `first` points to `count` live values (or `count` is 0), which for `'s` are written to by nobody but the holders of
    /// mutable arguments.
    #[inline]
    pub(crate) unsafe fn from_raw(first: *const RawValue, count: usize, scratch: &'s Scratch) -> Self {
        Arguments { first, count, before: 0, scratch }
    }

    pub(super) fn of(values: &'s [RawValue], scratch: &'s Scratch) -> Self {
        Arguments { first: values.as_ptr(), count: values.len(), before: 0, scratch }
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(self) -> usize {
        self.count
    }

    /// The address of the first.
    pub(crate) fn first(self) -> *const RawValue {
        self.first
    }

    /// The one at `index`, which is in range.
    #[inline]
    pub(crate) fn at(self, index: usize) -> Value<'s> {
        if index >= self.count {
            out_of_range(index, self.count);
        }
        // SAFETY: in range of the values that `from_raw` was given.
        Value { address: unsafe { self.first.add(index) }, scratch: self.scratch }
    }

    /// The position in the call of the one at `index`.
    pub(super) fn position(self, index: usize) -> usize {
        self.before + index
    }

    pub(crate) fn get(self, index: usize) -> Option<Value<'s>> {
        (index < self.count).then(|| self.at(index))
    }

    /// The first `count`, and the rest; an error if there are fewer.
    #[inline]
    pub(crate) fn split_at(self, count: usize) -> Result<(Self, Self)> {
        if count > self.count {
            return Err(Error::type_error(format!("expected at least {count} arguments, got {}", self.count)));
        }
        // SAFETY: at most one past the last of the values.
        let first = unsafe { self.first.add(count) };
        let rest = Arguments { first, count: self.count - count, before: self.before + count, ..self };
        Ok((Arguments { count, ..self }, rest))
    }
}
