//! What a tensor is, without its elements.

use super::Tensor;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, OrTorch, Result};
use crate::layout::Layout;
use crate::sizes::Sizes;
use std::fmt;
use torchop_sys::ffi;

impl Tensor {
    /// The number of dimensions.
    pub fn dim(&self) -> Result<i64> {
        ffi::tensor_dim(self.handle()).or_torch()
    }

    /// The sizes. An error if there are symbols among them, as in a backward that torch traces.
    pub fn sizes(&self) -> Result<Sizes> {
        self.known("sizes", |known| ffi::tensor_sizes(self.handle(), known)).map(Sizes::from)
    }

    /// The size of one dimension; counts from the end if negative. `IndexError` if there is no such dimension. An error if this
    /// size is a symbol; the others may be.
    pub fn size(&self, dim: i64) -> Result<i64> {
        let rank = self.dim()?;
        let index = if dim < 0 { dim + rank } else { dim };
        if !(0..rank).contains(&index) {
            return Err(Error::index(format!(
                "dimension out of range: expected {dim} to be in -{rank}..{rank}, the tensor has {rank} dimensions"
            )));
        }
        self.known("size", |known| ffi::tensor_size(self.handle(), index, known))
    }

    /// The strides, in elements.
    pub fn strides(&self) -> Result<Sizes> {
        self.known("strides", |known| ffi::tensor_strides(self.handle(), known)).map(Sizes::from)
    }

    /// The number of elements.
    pub fn numel(&self) -> Result<i64> {
        self.known("numel", |known| ffi::tensor_numel(self.handle(), known))
    }

    /// Where the first element lies in the storage, in elements.
    pub fn storage_offset(&self) -> Result<i64> {
        self.known("storage_offset", |known| ffi::tensor_storage_offset(self.handle(), known))
    }

    /// The element type.
    pub fn dtype(&self) -> Result<DType> {
        ffi::tensor_dtype(self.handle()).or_torch().map(DType::from_code)
    }

    /// The device. A fake tensor names the device that it stands for only to torch; here it is what the handle says.
    pub fn device(&self) -> Result<Device> {
        let kind = ffi::tensor_device_type(self.handle()).or_torch()?;
        let index = ffi::tensor_device_index(self.handle()).or_torch()?;
        Ok(Device::from_codes(kind, index))
    }

    /// How the elements are kept.
    pub fn layout(&self) -> Result<Layout> {
        ffi::tensor_layout(self.handle()).or_torch().map(Layout::from_code)
    }

    /// Whether the elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> Result<bool> {
        ffi::tensor_is_contiguous(self.handle()).or_torch()
    }

    /// Whether autograd records what is done with it.
    pub fn requires_grad(&self) -> Result<bool> {
        ffi::tensor_requires_grad(self.handle()).or_torch()
    }

    /// The number of elements between the first and the last in memory, both included; 0 if there are none.
    pub fn span(&self) -> Result<i64> {
        let (sizes, strides) = (self.sizes()?, self.strides()?);
        if sizes.contains(&0) {
            return Ok(0);
        }
        let last = sizes
            .iter()
            .zip(strides.iter())
            .try_fold(0i64, |last, (size, stride)| last.checked_add((size - 1).checked_mul(*stride)?));
        last.and_then(|last| last.checked_add(1)).ok_or_else(|| {
            Error::value(format!("sizes {:?} with strides {:?} span more than 2**63 elements", &*sizes, &*strides))
        })
    }

    /// What `ask` gives, unless it is a symbol.
    fn known<T>(&self, what: &str, ask: impl FnOnce(&mut bool) -> Result<T, cxx::Exception>) -> Result<T> {
        let mut known = true;
        let answer = ask(&mut known).or_torch()?;
        if known {
            return Ok(answer);
        }
        Err(Error::runtime(format!(
            "`{what}()` on a tensor with symbolic sizes: torch is tracing; take `sym_{what}()` in a fake, and leave sizes to torch's operators in a backward or composite function"
        )))
    }
}

/// What it is, not its elements: `Tensor[2, 3] float32 cpu`.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !ffi::tensor_defined(self.handle()) {
            return f.write_str("Tensor(undefined)");
        }
        f.write_str("Tensor")?;
        match self.sizes() {
            Ok(sizes) => write!(f, "{sizes}")?,
            Err(_) => f.write_str("[symbolic]")?,
        }
        if let (Ok(dtype), Ok(device)) = (self.dtype(), self.device()) {
            write!(f, " {dtype} {device}")?;
        }
        Ok(())
    }
}
