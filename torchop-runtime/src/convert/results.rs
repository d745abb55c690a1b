//! Where results go, and values that Rust owns.

use super::scratch::Scratch;
use super::tags::TAGS;
use super::value::Arguments;
use crate::error::{Error, OrTorch, Result};
use crate::scalar::Scalar;
use crate::tensor::Tensor;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use torchop_sys::{GeneratorHandle, RawValue, SymIntHandle, TensorHandle, ffi};

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
    #[inline]
    pub(crate) unsafe fn from_raw(first: *mut RawValue, count: usize) -> Self {
        Results { first, count, slots: PhantomData }
    }

    /// The first `count` slots, and the rest; an error if there are fewer.
    pub(crate) fn split_at(self, count: usize) -> Result<(Self, Self)> {
        if count > self.count {
            return Err(Error::runtime("more results than the schema has"));
        }
        // SAFETY: at most one past the last of the slots.
        let first = unsafe { self.first.add(count) };
        Ok((Results { count, ..self }, Results { first, count: self.count - count, slots: PhantomData }))
    }

    /// All that are left.
    pub(crate) fn rest(&mut self) -> Results<'_> {
        Results { first: self.first, count: std::mem::take(&mut self.count), slots: PhantomData }
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

impl ResultSlot<'_> {
    #[inline]
    fn put(self, payload: u64, tag: u32) {
        // SAFETY: the slot is ours and holds None, which owns nothing.
        unsafe { self.0.write(RawValue::new(payload, tag)) }
    }

    /// A value that the caller owns, moved.
    pub(crate) fn put_owned(self, value: RawValue) {
        // SAFETY: as for `put`.
        unsafe { self.0.write(value) }
    }

    #[inline]
    pub(crate) fn put_tensor(self, tensor: TensorHandle) {
        self.put(tensor.into_bits(), TAGS.tensor());
    }

    #[inline]
    pub(crate) fn put_int(self, value: i64) {
        self.put(value as u64, TAGS.int());
    }

    #[inline]
    pub(crate) fn put_float(self, value: f64) {
        self.put(value.to_bits(), TAGS.float());
    }

    #[inline]
    pub(crate) fn put_bool(self, value: bool) {
        self.put(u64::from(value), TAGS.boolean());
    }

    pub(crate) fn put_string(self, text: &str) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_string(self.0, text) }.or_torch()
    }

    pub(crate) fn put_sym_int(self, value: SymIntHandle) {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_sym_int(self.0, value) }
    }

    pub(crate) fn put_complex(self, [real, imaginary]: [f64; 2]) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_complex(self.0, real, imaginary) }.or_torch()
    }

    pub(crate) fn put_uint(self, value: u64) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_uint(self.0, value) }.or_torch()
    }

    pub(super) fn put_device(self, [kind, index]: [i8; 2]) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_device(self.0, kind, index) }.or_torch()
    }

    pub(super) fn put_stream(self, id: i64, [kind, index]: [i8; 2]) -> Result<()> {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_stream(self.0, id, kind, index) }.or_torch()
    }

    pub(super) fn put_generator(self, generator: GeneratorHandle) {
        // SAFETY: the slot is a live value.
        unsafe { ffi::value_put_generator(self.0, generator) }
    }

    /// A list of `element`s (a type in torch's schema language), from owned values, which are moved out.
    pub(crate) fn put_list(self, element: &str, elements: &mut OwnedValues) -> Result<()> {
        // SAFETY: the slot is a live value; the elements are live and owned, and hold None afterwards.
        unsafe { ffi::value_put_list(self.0, element, elements.as_mut_ptr(), elements.len()) }.or_torch()
    }

    /// A tuple, from owned values, which are moved out.
    pub(crate) fn put_tuple(self, elements: &mut OwnedValues) -> Result<()> {
        // SAFETY: as for lists.
        unsafe { ffi::value_put_tuple(self.0, elements.as_mut_ptr(), elements.len()) }.or_torch()
    }

    /// A dictionary, from as many owned keys as values, which are moved out.
    pub(crate) fn put_dict(self, types: [&str; 2], keys: &mut OwnedValues, values: &mut OwnedValues) -> Result<()> {
        let length = keys.len().min(values.len());
        // SAFETY: as for lists.
        unsafe { ffi::value_put_dict(self.0, types[0], types[1], keys.as_mut_ptr(), values.as_mut_ptr(), length) }
            .or_torch()
    }
}

/// Room for an argument of a call into torch: for a value of its own, or one that is lent until the call returns.
#[derive(Debug)]
pub struct ArgumentSlot<'s>(ResultSlot<'s>);

impl<'s> ArgumentSlot<'s> {
    /// For a value of its own.
    #[inline]
    pub(crate) fn owned(self) -> ResultSlot<'s> {
        self.0
    }

    /// A tensor that stays the caller's. It must live until the call returns.
    #[inline]
    pub(crate) fn lend_tensor(self, bits: u64) {
        self.0.put_owned(RawValue::lent(bits, TAGS.tensor()));
    }

    /// Numbers that stay the caller's. They must live until the call returns.
    #[inline]
    pub(crate) fn lend_ints(self, numbers: &[i64]) -> Result<()> {
        self.lend_list(RawValue::lent_ints(numbers), numbers.len())
    }

    /// Tensors that stay the caller's. They must live until the call returns.
    #[inline]
    pub(crate) fn lend_tensors(self, tensors: &[Tensor]) -> Result<()> {
        // SAFETY: a tensor is its handle, transparent all the way down.
        let handles: &[TensorHandle] = unsafe { std::slice::from_raw_parts(tensors.as_ptr().cast(), tensors.len()) };
        self.lend_list(RawValue::lent_tensors(handles), tensors.len())
    }

    /// References to tensors that stay the caller's. They must live until the call returns.
    #[inline]
    pub(crate) fn lend_tensor_references(self, tensors: &[&Tensor]) -> Result<()> {
        // SAFETY: as above, behind references.
        let handles: &[&TensorHandle] = unsafe { std::slice::from_raw_parts(tensors.as_ptr().cast(), tensors.len()) };
        self.lend_list(RawValue::lent_tensor_references(handles), tensors.len())
    }

    #[inline]
    fn lend_list(self, lent: Option<RawValue>, length: usize) -> Result<()> {
        let Some(lent) = lent else {
            return Err(Error::value(format!("{length} elements are too many for a list")));
        };
        self.0.put_owned(lent);
        Ok(())
    }
}

/// The arguments of one call into torch, on the caller's stack.
#[derive(Debug)]
pub(crate) struct LentValues<const N: usize>([RawValue; N]);

impl<const N: usize> LentValues<N> {
    #[inline]
    pub(crate) const fn none() -> Self {
        LentValues([RawValue::NONE; N])
    }

    #[inline]
    pub(crate) fn slot(&mut self, index: usize) -> ArgumentSlot<'_> {
        let value: &mut RawValue = &mut self.0[index];
        ArgumentSlot(ResultSlot(value, PhantomData))
    }

    #[inline]
    pub(crate) fn values(&mut self) -> &mut [RawValue] {
        &mut self.0
    }
}

impl<const N: usize> Drop for LentValues<N> {
    #[inline]
    fn drop(&mut self) {
        for value in self.0.iter_mut().filter(|value| TAGS.owns(value)) {
            // SAFETY: a live value that we own.
            unsafe { ffi::value_drop(value) }
        }
    }
}

impl<const N: usize> Index<usize> for LentValues<N> {
    type Output = RawValue;
    fn index(&self, index: usize) -> &RawValue {
        &self.0[index]
    }
}

impl<const N: usize> IndexMut<usize> for LentValues<N> {
    fn index_mut(&mut self, index: usize) -> &mut RawValue {
        &mut self.0[index]
    }
}

/// The tensor that the value is, moved out; `None` if it is none.
#[inline]
pub(super) fn take_tensor(value: &mut RawValue) -> Option<TensorHandle> {
    if value.tag != TAGS.tensor() || value.payload == TAGS.undefined() {
        return None;
    }
    let bits = std::mem::replace(value, RawValue::NONE).payload;
    // SAFETY: the payload of a value with the tensor tag, whose reference is moved with it.
    Some(unsafe { TensorHandle::from_bits(bits) })
}

/// The number that the value is, where it is an int or a float.
#[inline]
pub(super) fn plain_number(value: &RawValue) -> Option<Scalar> {
    if value.tag == TAGS.float() {
        return Some(Scalar::Float(f64::from_bits(value.payload)));
    }
    (value.tag == TAGS.int()).then_some(Scalar::Int(value.payload as i64))
}

/// Values that Rust owns: elements of a list to be, results of a call.
#[derive(Debug)]
pub struct OwnedValues {
    values: smallvec::SmallVec<[RawValue; 8]>,
    scratch: Scratch,
}

impl OwnedValues {
    /// `count` times `None`.
    pub(crate) fn none(count: usize) -> Self {
        OwnedValues { values: smallvec::smallvec![RawValue::NONE; count], scratch: Scratch::new() }
    }

    /// One value.
    pub(crate) fn of(value: RawValue) -> Self {
        OwnedValues { values: smallvec::smallvec![value], scratch: Scratch::new() }
    }

    pub(crate) fn results(&mut self) -> Results<'_> {
        // SAFETY: the values are ours and hold None; the borrow keeps others away.
        unsafe { Results::from_raw(self.values.as_mut_ptr(), self.values.len()) }
    }

    pub(crate) fn arguments(&self) -> Arguments<'_> {
        Arguments::of(&self.values, &self.scratch)
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut RawValue {
        self.values.as_mut_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

impl Drop for OwnedValues {
    fn drop(&mut self) {
        // They hold on to objects among the values.
        self.scratch.end_readings();
        for value in self.values.iter_mut().filter(|value| TAGS.owns(value)) {
            // SAFETY: a live value that we own.
            unsafe { ffi::value_drop(value) }
        }
    }
}
