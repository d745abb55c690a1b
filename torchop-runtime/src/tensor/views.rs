//! Tensors that share the memory of another, and copies of another form, by torch's own operators.

use super::operators::{NONE, operators};
use super::{Options, Tensor};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::MemoryFormat;
use crate::op::TorchOp;
use crate::scalar::Scalar;

operators! {
    /// `x[start:end:step]` in dimension `dim`, as in Python: bounds count from the end if negative, and are clamped.
    fn slice(&self, dim: i64, start: impl Into<Option<i64>>, end: impl Into<Option<i64>>, step: i64)
        = "aten::slice" "Tensor" (dim, start.into(), end.into(), step);
    /// `torch.select`: the part at `index` of dimension `dim`, which is gone in the result.
    fn select(&self, dim: i64, index: i64) = "aten::select" "int" (dim, index);
    /// `torch.narrow`: `length` parts from `start` on, in dimension `dim`.
    fn narrow(&self, dim: i64, start: i64, length: i64) = "aten::narrow" "" (dim, start, length);
    /// `torch.transpose`: two dimensions swapped.
    fn transpose(&self, dim0: i64, dim1: i64) = "aten::transpose" "int" (dim0, dim1);
    /// `torch.t`: a matrix with its two dimensions swapped.
    fn t(&self) = "aten::t" "" ();
    /// `torch.flatten`: one dimension; a view if the strides allow it, else a copy.
    fn flatten(&self) = "aten::flatten" "using_ints" (0_i64, -1_i64);
    /// `torch.permute`: the dimensions in this order.
    fn permute(&self, dims: &[i64]) = "aten::permute" "" (dims);
    /// `Tensor.expand`: dimensions of size 1 repeated, without copying; -1 keeps a size.
    fn expand(&self, sizes: &[i64]) = "aten::expand" "" (sizes, false);
    /// `torch.squeeze`: without the dimensions of size 1.
    fn squeeze(&self) = "aten::squeeze" "" ();
    /// `torch.squeeze(dim)`: without this dimension, if it has size 1.
    fn squeeze_dim(&self, dim: i64) = "aten::squeeze" "dim" (dim);
    /// `torch.unsqueeze`: with a dimension of size 1 at `dim`.
    fn unsqueeze(&self, dim: i64) = "aten::unsqueeze" "" (dim);
    /// `Tensor.detach`: the same memory, outside of the graph of gradients.
    fn detach(&self) = "aten::detach" "" ();
    /// `Tensor.to(dtype)`: itself if it has that dtype, else a copy.
    fn to_dtype(&self, dtype: DType) = "aten::to" "dtype" (dtype, false, false, NONE);
    /// `Tensor.to(device)`: itself if it is there, else a copy.
    fn to_device(&self, device: Device) = "aten::to" "dtype_layout" (NONE, NONE, device, NONE, false, false, NONE);
    /// `Tensor.to_dense`: strided, if it is sparse.
    fn to_dense(&self) = "aten::to_dense" "" (NONE, NONE);
    /// `torch.resolve_conj`: a copy with conjugated values, if it is conjugated lazily.
    fn resolve_conj(&self) = "aten::resolve_conj" "" ();
    /// `torch.resolve_neg`: a copy with negated values, if it is negated lazily.
    fn resolve_neg(&self) = "aten::resolve_neg" "" ();
    /// `Tensor.contiguous(memory_format=…)`: itself if it lies so, else a copy.
    fn contiguous_as(&self, format: MemoryFormat) = "aten::contiguous" "" (format);
}

impl Tensor {
    /// `Tensor.to`: with this dtype, device and layout; itself if it has them, else a copy.
    #[track_caller]
    pub fn to(&self, options: impl Into<Options>) -> Result<Tensor> {
        static OP: TorchOp = TorchOp::new("aten::to", "dtype_layout");
        let options = options.into();
        OP.call::<Tensor>((self, options.dtype, options.layout, options.device, options.pinned, false, false, NONE))
    }

    /// `Tensor.copy_`: takes over the elements of `from`, with broadcasting and conversion.
    #[track_caller]
    pub fn copy_(&mut self, from: &Tensor) -> Result<()> {
        static OP: TorchOp = TorchOp::new("aten::copy_", "");
        OP.call::<Tensor>((self, from, false)).map(drop)
    }

    /// `Tensor.zero_`: all elements become 0.
    #[track_caller]
    pub fn zero_(&mut self) -> Result<()> {
        static OP: TorchOp = TorchOp::new("aten::zero_", "");
        OP.call::<Tensor>((self,)).map(drop)
    }

    /// `Tensor.fill_`: all elements become `value`.
    #[track_caller]
    pub fn fill_(&mut self, value: impl Into<Scalar>) -> Result<()> {
        static OP: TorchOp = TorchOp::new("aten::fill_", "Scalar");
        OP.call::<Tensor>((self, value.into())).map(drop)
    }
}
