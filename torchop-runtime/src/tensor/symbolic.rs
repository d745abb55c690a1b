//! Sizes that may be symbols: for functions that torch traces, which are fakes, composite functions, and backwards made of torch's
//! operators.

use super::Tensor;
use crate::error::{OrTorch, Result};
use crate::sym_int::SymInt;
use torchop_sys::ffi;

impl Tensor {
    /// The size of one dimension; counts from the end if negative. `IndexError` if there is no such dimension.
    #[track_caller]
    pub fn sym_size(&self, dim: i64) -> Result<SymInt> {
        ffi::tensor_sym_size(self.handle(), self.index_of(dim)?).or_torch().map(SymInt::from_handle)
    }

    /// The sizes.
    pub fn sym_sizes(&self) -> Result<Vec<SymInt>> {
        (0..self.dim()?).map(|dim| self.sym_size(dim)).collect()
    }

    /// Where a step in one dimension leads, in elements; counts from the end if negative. `IndexError` if there is no such
    /// dimension.
    #[track_caller]
    pub fn sym_stride(&self, dim: i64) -> Result<SymInt> {
        ffi::tensor_sym_stride(self.handle(), self.index_of(dim)?).or_torch().map(SymInt::from_handle)
    }

    /// The strides, in elements.
    pub fn sym_strides(&self) -> Result<Vec<SymInt>> {
        (0..self.dim()?).map(|dim| self.sym_stride(dim)).collect()
    }

    /// The number of elements.
    pub fn sym_numel(&self) -> Result<SymInt> {
        ffi::tensor_sym_numel(self.handle()).or_torch().map(SymInt::from_handle)
    }

    /// Where the first element lies in the storage, in elements.
    pub fn sym_storage_offset(&self) -> Result<SymInt> {
        ffi::tensor_sym_storage_offset(self.handle()).or_torch().map(SymInt::from_handle)
    }
}
