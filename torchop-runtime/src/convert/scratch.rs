//! What lives as long as one call: memory for slices made from lists, and values that the call holds.

use crate::class::Reading;
use crate::error::Result as TorchResult;
use crate::tensor::Tensor;
use std::cell::{Cell, UnsafeCell};
use std::mem::{MaybeUninit, align_of, size_of};
use torchop_sys::{RawValue, ffi};

const WORDS: usize = 32;

/// A few words on the stack, and the heap when they are used up.
#[derive(Debug)]
pub(crate) struct Scratch {
    words: UnsafeCell<[MaybeUninit<u64>; WORDS]>,
    /// Words that are free, at the end. Counted down, since a zero beside the words makes LLVM clear them all at every call.
    free: Cell<usize>,
    more: UnsafeCell<Vec<Kept>>,
}

/// What did not fit, on the heap, so that it stays in its place.
#[derive(Debug)]
enum Kept {
    Words { _words: Box<[MaybeUninit<u64>]> },
    Value(Box<RawValue>),
    Reading { _reading: Reading },
    Tensors { _tensors: Box<[Tensor]> },
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Kept::Value(value) = self {
            // SAFETY: a live value that we own.
            unsafe { ffi::value_drop(&raw mut **value) }
        }
    }
}

/// The last first: a reading ends before the value goes that keeps its object.
impl Drop for Scratch {
    #[inline]
    fn drop(&mut self) {
        while let Some(kept) = self.more.get_mut().pop() {
            drop(kept);
        }
    }
}

impl Scratch {
    #[inline]
    pub(crate) const fn new() -> Self {
        Scratch {
            words: UnsafeCell::new([MaybeUninit::uninit(); WORDS]),
            free: Cell::new(WORDS),
            more: UnsafeCell::new(Vec::new()),
        }
    }

    #[allow(clippy::mut_from_ref)] // each call hands out other words
    /// Room for `count` values. They are never dropped, hence `Copy`.
    fn room<T: Copy>(&self, count: usize) -> &mut [MaybeUninit<T>] {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        let words = (count * size_of::<T>()).div_ceil(size_of::<u64>());
        let free = self.free.get();
        let first: *mut MaybeUninit<u64> = if words <= free {
            self.free.set(free - words);
            // SAFETY: `free` is at most WORDS, `words` at most `free`; only this thread has the scratch (it is not Sync).
            unsafe { self.words.get().cast::<MaybeUninit<u64>>().add(WORDS - free) }
        } else {
            let mut block = vec![MaybeUninit::uninit(); words].into_boxed_slice();
            let first = block.as_mut_ptr();
            self.keep(Kept::Words { _words: block });
            first
        };
        // SAFETY: the words were never handed out before and are not again; they are big enough and aligned (asserted).
        unsafe { std::slice::from_raw_parts_mut(first.cast(), count) }
    }

    fn keep(&self, kept: Kept) {
        // SAFETY: nobody else has a reference to the list: it is only touched here. Moving a box into it leaves what it
        // holds where it is.
        unsafe { (*self.more.get()).push(kept) }
    }

    /// A value that the call holds, written by `make` over `None`.
    pub(crate) fn value(&self, make: impl FnOnce(*mut RawValue) -> TorchResult<()>) -> TorchResult<*const RawValue> {
        let mut value = Box::new(RawValue::NONE);
        let address: *mut RawValue = &raw mut *value;
        let made = make(address);
        self.keep(Kept::Value(value));
        made.map(|()| address.cast_const())
    }

    /// Lets an object be read until the call ends.
    #[cold]
    pub(crate) fn keep_reading(&self, reading: Reading) {
        self.keep(Kept::Reading { _reading: reading });
    }

    /// Ends all readings. The rest stays, since only the readings hold on to what is outside.
    pub(crate) fn end_readings(&mut self) {
        self.more.get_mut().retain(|kept| !matches!(kept, Kept::Reading { .. }));
    }

    /// Tensors that are dropped with the scratch.
    #[allow(clippy::mut_from_ref)] // each call hands out other tensors
    pub(crate) fn tensors(&self, tensors: Vec<Tensor>) -> &mut [Tensor] {
        let mut block = tensors.into_boxed_slice();
        let (first, count) = (block.as_mut_ptr(), block.len());
        self.keep(Kept::Tensors { _tensors: block });
        // SAFETY: `count` tensors in a block that stays where it is, handed out once.
        unsafe { std::slice::from_raw_parts_mut(first, count) }
    }

    /// A slice of `count` values, made one by one; stops at the first error.
    pub(crate) fn slice<T: Copy, E>(
        &self,
        count: usize,
        mut make: impl FnMut(usize) -> Result<T, E>,
    ) -> Result<&[T], E> {
        let room = self.room::<T>(count);
        for (index, place) in room.iter_mut().enumerate() {
            place.write(make(index)?);
        }
        // SAFETY: every element was written.
        Ok(unsafe { std::slice::from_raw_parts(room.as_ptr().cast(), count) })
    }

    /// The same for what cannot fail.
    pub(crate) fn slice_of<T: Copy>(&self, count: usize, mut make: impl FnMut(usize) -> T) -> &[T] {
        match self.slice::<T, std::convert::Infallible>(count, |index| Ok(make(index))) {
            Ok(slice) => slice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_lie_apart_on_the_stack_and_on_the_heap() {
        let scratch = Scratch::new();
        let few = scratch.slice::<i64, ()>(3, |i| Ok(i as i64)).unwrap();
        let bytes = scratch.slice::<bool, ()>(9, |i| Ok(i % 2 == 0)).unwrap();
        let many = scratch.slice::<(u64, u64), ()>(1000, |i| Ok((i as u64, 7))).unwrap();
        let again = scratch.slice::<f64, ()>(20, |i| Ok(i as f64)).unwrap();
        assert_eq!(few, [0, 1, 2]);
        assert_eq!(bytes, [true, false, true, false, true, false, true, false, true]);
        assert!(many.iter().enumerate().all(|(i, pair)| *pair == (i as u64, 7)));
        assert_eq!(again[19], 19.0);
        assert_eq!(scratch.slice::<i64, ()>(0, |_| Err(())).unwrap(), []);
        assert_eq!(scratch.slice::<i64, &str>(2, |i| if i == 1 { Err("second") } else { Ok(0) }), Err("second"));
    }
}
