//! Lists, read in place.

use super::argument::{Argument, Mismatch};
use super::value::value_at;
use std::marker::PhantomData;
use torchop_sys::RawValue;

/// A list argument (`T[]`), read where torch keeps it: no allocation.
#[derive(Clone, Copy, Debug)]
pub struct List<'s, T> {
    values: &'s [RawValue],
    element: PhantomData<fn() -> T>,
}

impl<'s, T: Argument<'s>> List<'s, T> {
    /// Checks every element's type, so that reading cannot fail later.
    pub(crate) fn new(values: &'s [RawValue]) -> std::result::Result<Self, Mismatch> {
        for index in 0..values.len() {
            if let Some(value) = value_at(values, index) {
                T::read(value).map_err(|m| Mismatch(m.0.with_prefix(&format!("element {index}: "))))?;
            }
        }
        Ok(List { values, element: PhantomData })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<T> {
        value_at(self.values, index).and_then(|value| T::read(value).ok())
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'s, T> {
        let list = List { values: self.values, element: PhantomData };
        (0..self.values.len()).filter_map(move |index| list.get(index))
    }
}
