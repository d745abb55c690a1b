//! Tensors without data, as fakes see them.

use crate::device::{Device, DeviceType};
use crate::dtype::DType;
use crate::error::Result;
use crate::op::TorchOp;
use crate::sym_int::SymInt;
use crate::tensor::Tensor;
use std::fmt;

const NONE: Option<i64> = None;
const META: Device = Device { kind: DeviceType::Meta, index: None };

/// A tensor in a fake: sizes, strides, dtype and device, no data. Sizes are [`SymInt`]s, so the convenient way is the one
/// that keeps them symbolic while torch traces.
#[repr(transparent)]
#[derive(Clone)]
pub struct FakeTensor(Tensor);

impl FakeTensor {
    pub(crate) fn from_tensor(tensor: &Tensor) -> &FakeTensor {
        // SAFETY: FakeTensor is transparent over Tensor.
        unsafe { &*std::ptr::from_ref(tensor).cast::<FakeTensor>() }
    }

    pub(crate) fn from_owned(tensor: Tensor) -> FakeTensor {
        FakeTensor(tensor)
    }

    /// A tensor of the object's state, where a fake method reads it: while torch traces, it is a fake too.
    pub fn from_state(tensor: &Tensor) -> FakeTensor {
        FakeTensor(tensor.clone())
    }

    /// As a tensor of the object's state, where a fake method changes it.
    pub fn into_state(self) -> Tensor {
        self.0
    }

    /// As a tensor, for calls of torch's operators; what they give is a fake again by `From`.
    ///
    /// ```no_run
    /// # use torchop_runtime::{FakeTensor, Result, TorchOp};
    /// static MATMUL: TorchOp = TorchOp::new("aten::matmul", "");
    ///
    /// fn fake(x: &FakeTensor, y: &FakeTensor) -> Result<FakeTensor> {
    ///     Ok(MATMUL.call::<torchop_runtime::Tensor>((x.as_tensor(), y.as_tensor()))?.into())
    /// }
    /// ```
    #[inline]
    pub fn as_tensor(&self) -> &Tensor {
        &self.0
    }

    pub(crate) fn into_tensor(self) -> Tensor {
        self.0
    }

    /// A contiguous fake of these sizes and this dtype, for operators that take no tensor: on the device of the operator's
    /// `Device` argument, or torch's default. With a tensor among the arguments, [`FakeTensor::new_empty`] says the same.
    pub fn empty(sizes: &[SymInt], dtype: DType) -> Result<FakeTensor> {
        static EMPTY: TorchOp = TorchOp::new("aten::empty", "memory_format");
        EMPTY.call::<Tensor>((sizes, Some(dtype), NONE, Some(META), NONE, NONE)).map(FakeTensor)
    }

    /// As [`FakeTensor::empty`], with exactly these strides.
    pub fn empty_strided(sizes: &[SymInt], strides: &[SymInt], dtype: DType) -> Result<FakeTensor> {
        static EMPTY_STRIDED: TorchOp = TorchOp::new("aten::empty_strided", "");
        EMPTY_STRIDED.call::<Tensor>((sizes, strides, Some(dtype), NONE, Some(META), NONE)).map(FakeTensor)
    }

    /// The number of dimensions.
    pub fn dim(&self) -> Result<i64> {
        self.0.dim()
    }

    /// The element type.
    pub fn dtype(&self) -> Result<DType> {
        self.0.dtype()
    }

    /// The device that the handle names; during tracing that is `meta`, whatever the fake stands for.
    pub fn device(&self) -> Result<Device> {
        self.0.device()
    }

    /// [`Tensor::sym_size`].
    pub fn sym_size(&self, dim: i64) -> Result<SymInt> {
        self.0.sym_size(dim)
    }

    /// [`Tensor::sym_sizes`].
    pub fn sym_sizes(&self) -> Result<Vec<SymInt>> {
        self.0.sym_sizes()
    }

    /// [`Tensor::sym_stride`].
    pub fn sym_stride(&self, dim: i64) -> Result<SymInt> {
        self.0.sym_stride(dim)
    }

    /// [`Tensor::sym_strides`].
    pub fn sym_strides(&self) -> Result<Vec<SymInt>> {
        self.0.sym_strides()
    }

    /// [`Tensor::sym_numel`].
    pub fn sym_numel(&self) -> Result<SymInt> {
        self.0.sym_numel()
    }

    /// [`Tensor::sym_storage_offset`].
    pub fn sym_storage_offset(&self) -> Result<SymInt> {
        self.0.sym_storage_offset()
    }

    /// The fake of [`Tensor::empty_like`], and of any kernel whose result is like `torch.clone` of this tensor.
    pub fn empty_like(&self) -> Result<FakeTensor> {
        self.0.empty_like().map(FakeTensor)
    }

    /// As [`FakeTensor::empty_like`], with another dtype.
    pub fn empty_like_with_dtype(&self, dtype: DType) -> Result<FakeTensor> {
        self.0.empty_like_as(Some(dtype)).map(FakeTensor)
    }

    /// As [`FakeTensor::new_empty`], with another dtype.
    pub fn new_empty_with_dtype(&self, sizes: &[SymInt], dtype: DType) -> Result<FakeTensor> {
        self.0.sym_new_empty_as(sizes, Some(dtype)).map(FakeTensor)
    }

    /// As [`FakeTensor::new_empty_strided`], with another dtype.
    pub fn new_empty_strided_with_dtype(
        &self,
        sizes: &[SymInt],
        strides: &[SymInt],
        dtype: DType,
    ) -> Result<FakeTensor> {
        self.0.sym_new_empty_strided_as(sizes, strides, Some(dtype)).map(FakeTensor)
    }

    /// The fake of a contiguous result of these sizes, with this dtype and device.
    pub fn new_empty(&self, sizes: &[SymInt]) -> Result<FakeTensor> {
        self.0.sym_new_empty(sizes).map(FakeTensor)
    }

    /// The fake of a result with exactly these sizes and strides, with this dtype and device.
    pub fn new_empty_strided(&self, sizes: &[SymInt], strides: &[SymInt]) -> Result<FakeTensor> {
        self.0.sym_new_empty_strided(sizes, strides).map(FakeTensor)
    }
}

/// What an operator of torch's gave in a fake.
impl From<Tensor> for FakeTensor {
    fn from(tensor: Tensor) -> Self {
        FakeTensor(tensor)
    }
}

impl fmt::Debug for FakeTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fake{:?}", self.0)
    }
}
