//! Torch's values, opaque: the one place in Rust that knows their layout.

use crate::error::{Error, OrTorch, Result};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use torchop_sys::{RawValue, SymIntHandle, TensorHandle, ffi};

/// Torch's private tag numbers, learned from real values before anything is registered.
struct Tags {
    tensor: AtomicU32,
    float: AtomicU32,
    int: AtomicU32,
    boolean: AtomicU32,
    string: AtomicU32,
    list: AtomicU32,
    /// The payload of an undefined tensor: the address of torch's one undefined tensor.
    undefined: AtomicU64,
}

const UNKNOWN: u32 = u32::MAX;

static TAGS: Tags = Tags {
    tensor: AtomicU32::new(UNKNOWN),
    float: AtomicU32::new(UNKNOWN),
    int: AtomicU32::new(UNKNOWN),
    boolean: AtomicU32::new(UNKNOWN),
    string: AtomicU32::new(UNKNOWN),
    list: AtomicU32::new(UNKNOWN),
    undefined: AtomicU64::new(0),
};

/// Learns the layout, or says that this torch's is another than the one this build knows.
pub(crate) fn learn_layout() -> Result<()> {
    let mut learned = [0; 7];
    ffi::value_layout(&mut learned).or_torch()?;
    let [tags @ .., undefined] = learned;
    let places = [&TAGS.tensor, &TAGS.float, &TAGS.int, &TAGS.boolean, &TAGS.string, &TAGS.list];
    for (place, tag) in places.into_iter().zip(tags) {
        place.store(tag as u32, Relaxed);
    }
    TAGS.undefined.store(undefined, Relaxed);
    Ok(())
}

/// A value of torch's, borrowed: an argument, or an element of a list.
#[derive(Clone, Copy, Debug)]
pub struct Value<'s>(&'s RawValue);

impl<'s> Value<'s> {
    pub(crate) fn raw(self) -> &'s RawValue {
        self.0
    }

    /// Whether it is `None`, or an undefined tensor, which C++ writes for it.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0.tag == RawValue::NONE.tag || self.is_undefined()
    }

    #[inline]
    fn is_undefined(self) -> bool {
        self.0.tag == TAGS.tensor.load(Relaxed) && self.0.payload == TAGS.undefined.load(Relaxed)
    }

    /// The tensor, where it is a defined one. The handle is borrowed: it must not be dropped.
    #[inline]
    pub(crate) fn tensor(self) -> Option<&'s TensorHandle> {
        if self.0.tag != TAGS.tensor.load(Relaxed) || self.0.payload == TAGS.undefined.load(Relaxed) {
            return None;
        }
        // SAFETY: the payload of a value with the tensor tag is an at::Tensor (one pointer; checked at load), and
        // TensorHandle is transparent over it. It lives as long as the value.
        Some(unsafe { &*(&raw const self.0.payload).cast::<TensorHandle>() })
    }

    /// The number, where it is a concrete integer.
    #[inline]
    pub(crate) fn int(self) -> Option<i64> {
        (self.0.tag == TAGS.int.load(Relaxed)).then_some(self.0.payload as i64)
    }

    #[inline]
    pub(crate) fn float(self) -> Option<f64> {
        (self.0.tag == TAGS.float.load(Relaxed)).then_some(f64::from_bits(self.0.payload))
    }

    #[inline]
    pub(crate) fn boolean(self) -> Option<bool> {
        (self.0.tag == TAGS.boolean.load(Relaxed)).then_some(self.0.payload & 0xff != 0)
    }

    /// The bytes of a string; C++ callers may pass what is no UTF-8.
    pub(crate) fn string(self) -> Option<Result<&'s [u8]>> {
        (self.0.tag == TAGS.string.load(Relaxed)).then(|| {
            // SAFETY: the pointer is to a live value; the bytes live as long as it does, since strings are immutable.
            unsafe { ffi::value_string(self.0) }.or_torch()
        })
    }

    /// The elements of a list.
    pub(crate) fn list(self) -> Option<Result<&'s [RawValue]>> {
        (self.0.tag == TAGS.list.load(Relaxed)).then(|| {
            let mut length = 0;
            // SAFETY: the pointer is to a live value.
            let first = unsafe { ffi::value_list(self.0, &mut length) }.or_torch()?;
            if length == 0 {
                return Ok(&[][..]);
            }
            // SAFETY: C++ gives the address and number of the list's values. They live and stay while the argument list
            // does: a list is shared, but nobody else writes to it during the call (SAFETY.md, "Lists").
            Ok(unsafe { std::slice::from_raw_parts(first, length) })
        })
    }

    /// A symbolic or concrete integer, owned.
    pub(crate) fn sym_int(self) -> Option<Result<SymIntHandle>> {
        // SAFETY: the pointer is to a live value.
        let is = self.int().is_some() || unsafe { ffi::value_is_sym_int(self.0) };
        // SAFETY: as above.
        is.then(|| unsafe { ffi::value_sym_int(self.0) }.or_torch())
    }

    /// What it is, in torch's words.
    pub(crate) fn type_name(self) -> String {
        // SAFETY: the pointer is to a live value.
        match unsafe { ffi::value_type_name(self.0) } {
            Ok(name) => name.to_string_lossy().into_owned(),
            Err(e) => format!("a value without a type ({})", Error::from_torch(&e)),
        }
    }
}

/// The arguments of one call, borrowed from torch's stack.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'s>(&'s [RawValue]);

impl<'s> Arguments<'s> {
    /// # Safety
    /// `first` points to `count` live values (or `count` is 0), which stay untouched for `'s`.
    pub(crate) unsafe fn from_raw(first: *const RawValue, count: usize) -> Self {
        if count == 0 {
            return Arguments(&[]);
        }
        // SAFETY: the caller's promise.
        Arguments(unsafe { std::slice::from_raw_parts(first, count) })
    }

    pub(crate) fn of(values: &'s [RawValue]) -> Self {
        Arguments(values)
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// The one at `index`, which is in range.
    #[inline]
    pub(crate) fn at(self, index: usize) -> Value<'s> {
        Value(&self.0[index])
    }

    /// The first `count`, and the rest; an error if there are fewer.
    pub(crate) fn split_at(self, count: usize) -> Result<(Self, Self)> {
        match self.0.split_at_checked(count) {
            Some((a, b)) => Ok((Arguments(a), Arguments(b))),
            None => Err(Error::type_error(format!("expected at least {count} arguments, got {}", self.0.len()))),
        }
    }
}

pub(crate) fn value_at(values: &[RawValue], index: usize) -> Option<Value<'_>> {
    values.get(index).map(Value)
}

/// Where the results of one call go. All slots hold `None` at first; C++ owns what is put there.
#[derive(Debug)]
pub struct Results<'s> {
    first: *mut RawValue,
    count: usize,
    slots: PhantomData<&'s mut RawValue>,
}

impl<'s> Results<'s> {
    /// # Safety
    /// `first` points to `count` values that hold `None`, are owned by the caller and not touched by it for `'s`.
    pub(crate) unsafe fn from_raw(first: *mut RawValue, count: usize) -> Self {
        Results { first, count, slots: PhantomData }
    }

    /// The next slot; an error if there is none.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<ResultSlot<'s>> {
        if self.count == 0 {
            return Err(Error::runtime("more results than the schema has"));
        }
        let slot = ResultSlot(self.first, PhantomData);
        self.count -= 1;
        // SAFETY: one past a slot of the array that `from_raw` was given, at most its end.
        self.first = unsafe { self.first.add(1) };
        Ok(slot)
    }
}

/// Room for one value, used up by putting it.
#[derive(Debug)]
pub struct ResultSlot<'s>(*mut RawValue, PhantomData<&'s mut RawValue>);

impl<'s> ResultSlot<'s> {
    #[inline]
    fn put(self, payload: u64, tag: &AtomicU32) {
        // SAFETY: the slot is ours and holds None, which owns nothing.
        unsafe { self.0.write(RawValue::new(payload, tag.load(Relaxed))) }
    }

    #[inline]
    pub(crate) fn put_tensor(self, tensor: TensorHandle) {
        self.put(tensor.into_bits(), &TAGS.tensor);
    }

    #[inline]
    pub(crate) fn put_int(self, value: i64) {
        self.put(value as u64, &TAGS.int);
    }

    #[inline]
    pub(crate) fn put_float(self, value: f64) {
        self.put(value.to_bits(), &TAGS.float);
    }

    #[inline]
    pub(crate) fn put_bool(self, value: bool) {
        self.put(u64::from(value), &TAGS.boolean);
    }

    pub(crate) fn put_string(self, text: &str) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_string(self.0, text) }.or_torch()
    }

    pub(crate) fn put_sym_int(self, value: SymIntHandle) {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_sym_int(self.0, value) }
    }

    /// A list of `element`s (a type in torch's schema language), from owned values, which are moved out.
    pub(crate) fn put_list(self, element: &str, elements: &mut OwnedValues) -> Result<()> {
        // SAFETY: the slot is a live value; the elements are live and owned, and hold None afterwards.
        unsafe { ffi::value_put_list(self.0, element, elements.0.as_mut_ptr(), elements.0.len()) }.or_torch()
    }
}

/// Values that Rust owns: arguments of a call into torch, elements of a list to be.
#[derive(Debug)]
pub struct OwnedValues(smallvec::SmallVec<[RawValue; 8]>);

impl OwnedValues {
    /// `count` times `None`.
    pub(crate) fn none(count: usize) -> Self {
        OwnedValues(smallvec::smallvec![RawValue::NONE; count])
    }

    pub(crate) fn results(&mut self) -> Results<'_> {
        // SAFETY: the values are ours and hold None; the borrow keeps others away.
        unsafe { Results::from_raw(self.0.as_mut_ptr(), self.0.len()) }
    }

    pub(crate) fn arguments(&self) -> Arguments<'_> {
        Arguments(&self.0)
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut RawValue {
        self.0.as_mut_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Drop for OwnedValues {
    fn drop(&mut self) {
        for value in &mut self.0 {
            // SAFETY: a live value that we own.
            unsafe { ffi::value_drop(value) }
        }
    }
}
