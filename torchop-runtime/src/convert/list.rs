//! Lists, read in place.

use super::argument::{Argument, Mismatch, read_element};
use super::value::Arguments;
use std::marker::PhantomData;

/// A list argument (`T[]`), read where torch keeps it: no allocation.
#[derive(Clone, Copy, Debug)]
pub struct List<'s, T> {
    elements: Arguments<'s>,
    element: PhantomData<fn() -> T>,
}

impl<'s, T: Argument<'s>> List<'s, T> {
    /// Checks every element's type, so that reading cannot fail later.
    pub(crate) fn new(elements: Arguments<'s>) -> Result<Self, Mismatch> {
        for index in 0..elements.len() {
            read_element::<T>(elements, index)?;
        }
        Ok(List { elements, element: PhantomData })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.len() == 0
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<T> {
        self.elements.get(index).and_then(|value| T::read(value).ok())
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'s, T> {
        let list = List { elements: self.elements, element: PhantomData };
        (0..self.elements.len()).filter_map(move |index| list.get(index))
    }
}
