//! Sizes and strides as kernels get them.

use crate::error::{Error, Result};
use smallvec::SmallVec;

/// Sizes and strides for a kernel: `torchop::Geometry<MAX>` there, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry<const MAX: usize = 8> {
    dim: i64,
    sizes: [i64; MAX],
    strides: [i64; MAX],
}

impl<const MAX: usize> Geometry<MAX> {
    /// From sizes and strides, in whatever unit the kernel counts.
    ///
    /// # Errors
    /// `ValueError` if there are more than `MAX` dimensions.
    pub fn new(sizes: &[i64], strides: &[i64]) -> Result<Self> {
        let (dim, given) = (sizes.len(), strides.len());
        if dim > MAX || dim != given {
            return Err(Error::value(format!(
                "expected at most {MAX} sizes and as many strides, got {dim} and {given}; declare the kernel with `Geometry<{dim}>`"
            )));
        }
        let mut this = Geometry { dim: dim as i64, sizes: [1; MAX], strides: [0; MAX] };
        this.sizes[..dim].copy_from_slice(sizes);
        this.strides[..dim].copy_from_slice(strides);
        Ok(this)
    }

    /// The bytes of a tensor's elements: every byte that one of them lies at, counted from the first element, with the last
    /// dimension along memory. Dimensions stand by their strides, whatever order the tensor has them in, and are merged where
    /// that can be; a repeated element (stride 0) counts once. `None` if more than `MAX` remain.
    pub fn bytes(sizes: &[i64], strides: &[i64], item_size: usize) -> Option<Self> {
        let item_size = item_size as i64;
        let mut dims: SmallVec<[(i64, i64); 12]> = sizes
            .iter()
            .zip(strides)
            .filter(|(size, stride)| **size != 1 && (**stride != 0 || **size == 0))
            .map(|(size, stride)| (stride * item_size, *size))
            .collect();
        dims.push((1, item_size));
        dims.sort_unstable_by_key(|(stride, _)| std::cmp::Reverse(*stride));
        let mut this = Geometry { dim: 0, sizes: [1; MAX], strides: [0; MAX] };
        for (stride, size) in dims {
            let last = this.dim as usize;
            if last > 0 && this.strides[last - 1] == stride * size {
                this.sizes[last - 1] *= size;
                this.strides[last - 1] = stride;
            } else if last < MAX {
                (this.sizes[last], this.strides[last]) = (size, stride);
                this.dim += 1;
            } else {
                return None;
            }
        }
        Some(this)
    }

    /// One dimension of `size` elements, side by side.
    pub fn flat(size: i64) -> Self {
        let mut this = Geometry { dim: 1, sizes: [1; MAX], strides: [0; MAX] };
        (this.sizes[0], this.strides[0]) = (size, 1);
        this
    }

    pub(super) fn parts(&self) -> (i64, &[i64; MAX], &[i64; MAX]) {
        (self.dim, &self.sizes, &self.strides)
    }

    /// Sizes, one per dimension.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes[..self.dim as usize]
    }

    /// Strides, one per dimension.
    pub fn strides(&self) -> &[i64] {
        &self.strides[..self.dim as usize]
    }

    /// The number of elements.
    pub fn numel(&self) -> i64 {
        self.sizes().iter().product()
    }

    /// From the first element to the last, both included; 0 if there are none.
    pub fn span(&self) -> i64 {
        if self.sizes().contains(&0) {
            return 0;
        }
        1 + self.sizes().iter().zip(self.strides()).map(|(size, stride)| (size - 1) * stride).sum::<i64>()
    }

    /// Elements that lie side by side in the last dimension.
    pub fn run(&self) -> i64 {
        match (self.sizes().last(), self.strides().last()) {
            (Some(size), Some(1)) => *size,
            _ => 1,
        }
    }

    /// The most bytes (1, 2, 4, 8 or 16) that may be moved at once where this counts bytes and the first lies at an address
    /// with this alignment.
    pub fn word(&self, alignment: i64) -> i64 {
        let outer = self.strides().iter().rev().skip(1);
        let bits = outer.fold(alignment | self.run() | 16, |bits, stride| bits | stride);
        1 << bits.trailing_zeros()
    }

    /// The same in words of so many bytes, as [`word`](Self::word) gives them.
    pub fn in_words(mut self, word: i64) -> Self {
        if self.dim > 0 {
            let last = self.dim as usize - 1;
            self.sizes[last] /= word;
            self.strides[..last].iter_mut().for_each(|stride| *stride /= word);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(sizes: &[i64], strides: &[i64], item: usize) -> (Vec<i64>, Vec<i64>) {
        let geometry = Geometry::<4>::bytes(sizes, strides, item).unwrap();
        (geometry.sizes().to_vec(), geometry.strides().to_vec())
    }

    #[test]
    fn dense_tensors_are_one_run_in_any_order() {
        assert_eq!(bytes(&[2, 3, 4], &[12, 4, 1], 4), (vec![96], vec![1]));
        assert_eq!(bytes(&[4, 2, 3], &[1, 12, 4], 2), (vec![48], vec![1]));
        assert_eq!(bytes(&[], &[], 8), (vec![8], vec![1]));
        assert_eq!(bytes(&[1, 5, 1], &[77, 1, 13], 1), (vec![5], vec![1]));
    }

    #[test]
    fn gaps_stay_and_repeats_count_once() {
        assert_eq!(bytes(&[6], &[4], 4), (vec![6, 4], vec![16, 1]));
        assert_eq!(bytes(&[3, 5], &[0, 2], 4), (vec![5, 4], vec![8, 1]));
        assert_eq!(bytes(&[3, 0], &[1, 1], 4), (vec![3, 0], vec![4, 1]));
    }

    #[test]
    fn words_are_as_wide_as_run_strides_and_address_allow() {
        let rows = Geometry::<4>::bytes(&[10, 8], &[64, 1], 4).unwrap();
        assert_eq!((rows.run(), rows.span(), rows.word(16), rows.word(8)), (32, 9 * 256 + 32, 16, 8));
        let words = rows.in_words(16);
        assert_eq!((words.sizes(), words.strides()), (&[10, 2][..], &[16, 1][..]));
        assert_eq!(Geometry::<4>::bytes(&[10, 8], &[9, 1], 4).unwrap().word(64), 4);
        assert_eq!(Geometry::<4>::bytes(&[10], &[3], 2).unwrap().word(512), 2);
    }

    #[test]
    fn too_many_dimensions_are_told() {
        assert!(Geometry::<2>::bytes(&[2, 2, 2], &[100, 30, 9], 4).is_none());
        let error = Geometry::<2>::new(&[2, 2, 2], &[4, 2, 1]).unwrap_err();
        assert!(error.message().contains("declare the kernel with `Geometry<3>`"), "{error}");
    }
}
