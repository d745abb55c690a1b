//! What a tensor is, without its elements.

use super::Tensor;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, OrTorch, Result};
use crate::layout::{Layout, MemoryFormat};
use crate::sizes::Sizes;
use torchop_sys::ffi;

impl Tensor {
    /// The number of dimensions.
    #[inline]
    pub fn dim(&self) -> Result<i64> {
        Ok(match self.handle().plain() {
            Some(plain) => plain.rank() as i64,
            None => self.asked_dim()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_dim(&self) -> Result<i64> {
        ffi::tensor_dim(self.handle()).or_torch()
    }

    /// The sizes. An error if there are symbols among them, as in a backward or composite function that torch traces:
    /// [`Tensor::sym_sizes`] gives those.
    #[inline]
    pub fn sizes(&self) -> Result<Sizes> {
        Ok(match self.handle().plain().and_then(|plain| Sizes::few(plain.sizes(), plain.rank())) {
            Some(sizes) => sizes,
            None => self.asked_sizes()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_sizes(&self) -> Result<Sizes> {
        self.known("sizes", |known| ffi::tensor_sizes(self.handle(), known)).map(Sizes::from)
    }

    /// The size of one dimension; counts from the end if negative. `IndexError` if there is no such dimension. An error if this
    /// size is a symbol; the others may be.
    #[inline]
    #[track_caller]
    pub fn size(&self, dim: i64) -> Result<i64> {
        Ok(match self.handle().plain().and_then(|plain| plain.size(dim)) {
            Some(size) => size,
            None => self.asked_size(dim)?,
        })
    }

    /// Where a step in one dimension leads, in elements; counts from the end if negative. `IndexError` if there is no such
    /// dimension.
    #[inline]
    #[track_caller]
    pub fn stride(&self, dim: i64) -> Result<i64> {
        Ok(match self.handle().plain().and_then(|plain| plain.stride(dim)) {
            Some(stride) => stride,
            None => self.asked_stride(dim)?,
        })
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn asked_size(&self, dim: i64) -> Result<i64> {
        let index = self.index_of(dim)?;
        self.known("size", |known| ffi::tensor_size(self.handle(), index, known))
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn asked_stride(&self, dim: i64) -> Result<i64> {
        let index = self.index_of(dim)? as usize;
        let strides = self.strides()?;
        strides
            .get(index)
            .copied()
            .ok_or_else(|| Error::index(format!("dimension out of range: {dim}, the tensor was resized")))
    }

    #[track_caller]
    pub(super) fn index_of(&self, dim: i64) -> Result<i64> {
        let rank = self.dim()?;
        let index = if dim < 0 { dim + rank } else { dim };
        if !(0..rank).contains(&index) {
            return Err(Error::index(format!(
                "dimension out of range: expected {dim} to be in -{rank}..{rank}, the tensor has {rank} dimensions"
            )));
        }
        Ok(index)
    }

    /// The strides, in elements.
    #[inline]
    pub fn strides(&self) -> Result<Sizes> {
        Ok(match self.handle().plain().and_then(|plain| Sizes::few(plain.strides(), plain.rank())) {
            Some(strides) => strides,
            None => self.asked_strides()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_strides(&self) -> Result<Sizes> {
        self.known("strides", |known| ffi::tensor_strides(self.handle(), known)).map(Sizes::from)
    }

    /// The number of elements.
    #[inline]
    pub fn numel(&self) -> Result<i64> {
        Ok(match self.handle().plain() {
            Some(plain) => plain.numel(),
            None => self.asked_numel()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_numel(&self) -> Result<i64> {
        self.known("numel", |known| ffi::tensor_numel(self.handle(), known))
    }

    /// Where the first element lies in the storage, in elements.
    #[inline]
    pub fn storage_offset(&self) -> Result<i64> {
        Ok(match self.handle().plain() {
            Some(plain) => plain.offset(),
            None => self.asked_offset()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_offset(&self) -> Result<i64> {
        self.known("storage_offset", |known| ffi::tensor_storage_offset(self.handle(), known))
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> Result<DType> {
        Ok(match self.handle().plain_dtype().and_then(DType::named) {
            Some(dtype) => dtype,
            None => self.asked_dtype()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_dtype(&self) -> Result<DType> {
        ffi::tensor_dtype(self.handle()).or_torch().map(DType::from_code)
    }

    /// An error (`RuntimeError`, as torch's own) unless the tensor is on `device`; it names both. For methods of classes that hold
    /// tensors, which `module.to(device)` does not reach.
    pub fn expect_device(&self, device: Device) -> Result<()> {
        let found = self.device()?;
        if found == device {
            return Ok(());
        }
        Err(Error::runtime(format!(
            "found a tensor on device {found}, expected {device}: move the tensor there, or the object that expects it with its \
             `to(device)`"
        )))
    }

    /// The device. A fake tensor names the device that it stands for only to torch; here it is what the handle says.
    #[inline]
    pub fn device(&self) -> Result<Device> {
        Ok(match self.handle().plain_device() {
            Some([kind, index]) => Device::from_codes(kind, index),
            None => self.asked_device()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_device(&self) -> Result<Device> {
        let kind = ffi::tensor_device_type(self.handle()).or_torch()?;
        let index = ffi::tensor_device_index(self.handle()).or_torch()?;
        Ok(Device::from_codes(kind, index))
    }

    /// How the elements are kept.
    pub fn layout(&self) -> Result<Layout> {
        ffi::tensor_layout(self.handle()).or_torch().map(Layout::from_code)
    }

    /// Whether the elements lie one after the other in row-major order.
    #[inline]
    pub fn is_contiguous(&self) -> Result<bool> {
        Ok(match self.handle().plain() {
            Some(plain) => plain.is_contiguous(),
            None => self.asked_contiguous()?,
        })
    }

    #[cold]
    #[inline(never)]
    fn asked_contiguous(&self) -> Result<bool> {
        ffi::tensor_is_contiguous(self.handle()).or_torch()
    }

    /// Whether the elements lie one after the other in the order of this format.
    pub fn is_contiguous_as(&self, format: MemoryFormat) -> Result<bool> {
        ffi::tensor_is_contiguous_as(self.handle(), format.code()).or_torch()
    }

    /// Whether the values are the conjugates of what the memory holds.
    pub fn is_conj(&self) -> Result<bool> {
        Ok(ffi::tensor_is_conj(self.handle()))
    }

    /// Whether the values are the negatives of what the memory holds.
    pub fn is_neg(&self) -> Result<bool> {
        Ok(ffi::tensor_is_neg(self.handle()))
    }

    /// Whether it was made in inference mode: no versions, no gradients.
    pub fn is_inference(&self) -> Result<bool> {
        ffi::tensor_is_inference(self.handle()).or_torch()
    }

    /// How often its memory was written to by operators (`Tensor._version`). An error for tensors of inference mode.
    pub fn version(&self) -> Result<i64> {
        ffi::tensor_version(self.handle()).or_torch()
    }

    /// The address of the first element, as a number; 0 if there is no memory. For elements: [`Tensor::view`].
    pub fn data_ptr(&self) -> Result<usize> {
        ffi::tensor_address(self.handle()).or_torch()
    }

    /// A number that tensors have in common if and only if they share one storage, while any of them lives; 0 without storage.
    pub fn storage_id(&self) -> Result<usize> {
        ffi::tensor_storage(self.handle()).or_torch()
    }

    /// How many bytes one element takes.
    pub fn item_size(&self) -> Result<usize> {
        ffi::tensor_item_size(self.handle()).or_torch()
    }

    /// Whether autograd records what is done with it.
    #[inline]
    pub fn requires_grad(&self) -> Result<bool> {
        Ok(!self.handle().is_plainly_without_gradient() && ffi::tensor_requires_grad(self.handle()))
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
            "`{what}()` on a tensor with symbolic sizes: torch is tracing; take `sym_{what}()`, or leave sizes to torch's operators"
        )))
    }
}
