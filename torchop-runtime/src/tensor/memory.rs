//! A tensor's memory, and new memory beside it.

use super::Tensor;
use crate::dtype::DType;
use crate::error::{OrTorch as _, Result};
use std::mem::ManuallyDrop;
use torchop_sys::ffi;

impl Tensor {
    /// `Tensor.new_empty_strided`: uninitialised, same dtype and device.
    pub fn new_empty_strided(&self, sizes: &[i64], strides: &[i64]) -> Result<Tensor> {
        self.new_empty_strided_of(sizes, strides, None)
    }

    /// The same with another dtype.
    #[inline]
    pub(crate) fn new_empty_strided_of(&self, sizes: &[i64], strides: &[i64], dtype: Option<DType>) -> Result<Tensor> {
        let dtype = dtype.map_or(-1, DType::code);
        ffi::tensor_new_strided(self.handle(), sizes, strides, dtype)
            .or_torch()
            .map(|handle| Tensor(ManuallyDrop::new(handle)))
    }

    /// The largest power of two, up to 4096, that the address of the first element is a multiple of. A tensor without memory
    /// gives 4096.
    pub fn alignment(&self) -> Result<i64> {
        let address = ffi::tensor_data(self.handle()).or_torch()? as i64;
        Ok(1 << (address | 4096).trailing_zeros())
    }
}
