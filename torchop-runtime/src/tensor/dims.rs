//! Sizes and strides without a copy, for loops over dimensions.

use super::Tensor;
use crate::error::Result;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use torchop_sys::PLACES;

/// The size and the stride of each dimension of a tensor, in elements, from the first to the last: [`Tensor::dims`] makes it.
///
/// They are read as they are asked for, where C++ reads them. If somebody resizes the tensor before the last is read, the later ones are
/// of the tensor as it is then, and mere numbers where it has got another number of dimensions.
#[derive(Debug)]
pub struct Dims<'t> {
    /// What `copied` holds, or numbers in torch's tensor.
    sizes: NonNull<i64>,
    strides: NonNull<i64>,
    next: usize,
    end: usize,
    /// Not a box: what it holds is pointed to.
    copied: Option<Vec<i64>>,
    tensor: PhantomData<&'t Tensor>,
}

impl Tensor {
    /// Size and stride of each dimension, for loops: as cheap as in C++, where [`Tensor::sizes`] and [`Tensor::strides`] copy.
    ///
    /// ```no_run
    /// # use torchop_runtime::{Result, Tensor};
    /// fn last_element(x: &Tensor) -> Result<i64> {
    ///     Ok(x.dims()?.map(|(size, stride)| (size - 1) * stride).sum())
    /// }
    /// ```
    #[inline]
    pub fn dims(&self) -> Result<Dims<'_>> {
        let in_place = self.handle().plain().and_then(|plain| {
            let rank = plain.rank();
            (rank <= PLACES).then(|| Dims::new(plain.size_places(), plain.stride_places(), rank))
        });
        Ok(match in_place {
            Some(dims) => dims,
            None => self.copied_dims()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn copied_dims(&self) -> Result<Dims<'_>> {
        let (sizes, strides) = (self.sizes()?, self.strides()?);
        let rank = sizes.len().min(strides.len());
        let mut both = [&sizes[..rank], &strides[..rank]].concat();
        let first = NonNull::from(both.as_mut_slice()).cast();
        // SAFETY: the second half of the numbers is behind the first.
        let mut dims = Dims::new(first, unsafe { first.add(rank) }, rank);
        dims.copied = Some(both);
        Ok(dims)
    }
}

impl Dims<'_> {
    #[inline]
    fn new(sizes: NonNull<i64>, strides: NonNull<i64>, end: usize) -> Self {
        Dims { sizes, strides, next: 0, end, copied: None, tensor: PhantomData }
    }

    #[inline]
    fn read(&self, index: usize) -> (i64, i64) {
        // SAFETY: `index` is below the rank that was seen. There are so many numbers in `copied`, and at least `PLACES` in the tensor, which
        // is borrowed: they are numbers there whatever happens to it.
        let now = |numbers: NonNull<i64>| unsafe { AtomicI64::from_ptr(numbers.add(index).as_ptr()).load(Relaxed) };
        (now(self.sizes), now(self.strides))
    }
}

impl Iterator for Dims<'_> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.read(self.next - 1))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl DoubleEndedIterator for Dims<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<(i64, i64)> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.read(self.end))
    }
}

impl ExactSizeIterator for Dims<'_> {}
impl std::iter::FusedIterator for Dims<'_> {}
