//! Torch's own operators on tensors, through the dispatcher: autograd, tracing and devices work as for any caller.

use super::Tensor;
use crate::dtype::DType;
use crate::error::Result;
use crate::op::TorchOp;
use crate::scalar::Scalar;
use crate::sym_int::SymInt;

pub(super) const NONE: Option<i64> = None;

macro_rules! operators {
    ($(
        $(#[$doc:meta])*
        fn $name:ident(&self $(, $arg:ident: $type:ty)*) = $op:literal $overload:literal ($($value:expr),*);
    )*) => {
        impl Tensor {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self $(, $arg: $type)*) -> Result<Tensor> {
                static OP: TorchOp = TorchOp::new($op, $overload);
                let this = self;
                operators!(@call OP, this, ($($value),*))
            }
        )*}
    };
    (@call $op:ident, $this:ident, ($($value:expr),*)) => { $op.call_known::<Tensor>(($this, $($value,)*)) };
}

pub(super) use operators;

operators! {
    /// `torch.clone`: a copy with memory of its own. Keeps strides where the tensor is dense and does not overlap.
    fn deep_clone(&self) = "aten::clone" "" (NONE);
    /// `torch.empty_like`: uninitialised, same sizes, dtype and device; strides as [`Tensor::deep_clone`] gives them.
    fn empty_like(&self) = "aten::empty_like" "" (NONE, NONE, NONE, NONE, NONE);
    /// `torch.zeros_like`.
    fn zeros_like(&self) = "aten::zeros_like" "" (NONE, NONE, NONE, NONE, NONE);
    /// `torch.as_strided`: a view of the same storage. Sizes, strides and offset are in elements.
    fn as_strided(&self, sizes: &[i64], strides: &[i64], storage_offset: i64) = "aten::as_strided" "" (sizes, strides, Some(storage_offset));
    /// `torch.reshape`: a view if the strides allow it, else a copy.
    fn reshape(&self, sizes: &[i64]) = "aten::reshape" "" (sizes);
    /// `Tensor.contiguous`: itself if it is contiguous, else a copy.
    fn contiguous(&self) = "aten::contiguous" "" (0_i64);
    /// `Tensor.new_empty_strided` with symbolic sizes: uninitialised, same dtype and device.
    fn sym_new_empty_strided(&self, sizes: &[SymInt], strides: &[SymInt]) = "aten::new_empty_strided" "" (sizes, strides, NONE, NONE, NONE, NONE);
    /// `Tensor.new_empty` with symbolic sizes: contiguous, uninitialised, same dtype and device.
    fn sym_new_empty(&self, sizes: &[SymInt]) = "aten::new_empty" "" (sizes, NONE, NONE, NONE, NONE);
    /// As `empty_like`, with a dtype.
    fn empty_like_as(&self, dtype: Option<DType>) = "aten::empty_like" "" (dtype, NONE, NONE, NONE, NONE);
    /// As `sym_new_empty_strided`, with a dtype.
    fn sym_new_empty_strided_as(&self, sizes: &[SymInt], strides: &[SymInt], dtype: Option<DType>) = "aten::new_empty_strided" "" (sizes, strides, dtype, NONE, NONE, NONE);
    /// As `sym_new_empty`, with a dtype.
    fn sym_new_empty_as(&self, sizes: &[SymInt], dtype: Option<DType>) = "aten::new_empty" "" (sizes, dtype, NONE, NONE, NONE);
    /// `torch.add`: element by element, with broadcasting.
    fn add(&self, other: &Tensor) = "aten::add" "Tensor" (other, 1_i64);
    /// `torch.mul`: element by element, with broadcasting.
    fn mul(&self, other: &Tensor) = "aten::mul" "Tensor" (other);
    /// `torch.mul` with a number.
    fn mul_scalar(&self, other: f64) = "aten::mul" "Scalar" (other);
    /// `torch.sub`: element by element, with broadcasting.
    fn sub(&self, other: &Tensor) = "aten::sub" "Tensor" (other, 1_i64);
    /// `torch.div`: element by element, with broadcasting.
    fn div(&self, other: &Tensor) = "aten::div" "Tensor" (other);
    /// `torch.neg`: element by element.
    fn neg(&self) = "aten::neg" "" ();
    /// `torch.matmul`: the product of vectors, matrices, or batches of matrices.
    fn matmul(&self, other: &Tensor) = "aten::matmul" "" (other);
    /// `torch.sum` over all elements.
    fn sum(&self) = "aten::sum" "" (NONE);
    /// `torch.sum` over these dimensions, which stay with size 1 if `keep` says so.
    fn sum_dims(&self, dims: &[i64], keep: bool) = "aten::sum" "dim_IntList" (Some(dims), keep, NONE);
    /// `torch.mean` over all elements.
    fn mean(&self) = "aten::mean" "" (NONE);
    /// `torch.mean` over these dimensions, which stay with size 1 if `keep` says so.
    fn mean_dims(&self, dims: &[i64], keep: bool) = "aten::mean" "dim" (Some(dims), keep, NONE);
    /// `torch.softmax` along `dim`.
    fn softmax(&self, dim: i64) = "aten::softmax" "int" (dim, NONE);
    /// `torch.log_softmax` along `dim`.
    fn log_softmax(&self, dim: i64) = "aten::log_softmax" "int" (dim, NONE);
    /// `torch.relu`: element by element.
    fn relu(&self) = "aten::relu" "" ();
    /// `torch.sigmoid`: element by element.
    fn sigmoid(&self) = "aten::sigmoid" "" ();
    /// `torch.tanh`: element by element.
    fn tanh(&self) = "aten::tanh" "" ();
    /// `torch.exp`: element by element.
    fn exp(&self) = "aten::exp" "" ();
    /// `torch.log`: element by element.
    fn log(&self) = "aten::log" "" ();
    /// `torch.sqrt`: element by element.
    fn sqrt(&self) = "aten::sqrt" "" ();
    /// `torch.rsqrt`: element by element.
    fn rsqrt(&self) = "aten::rsqrt" "" ();
    /// `torch.sin`: element by element.
    fn sin(&self) = "aten::sin" "" ();
    /// `torch.cos`: element by element.
    fn cos(&self) = "aten::cos" "" ();
    /// `torch.nn.functional.silu`: element by element.
    fn silu(&self) = "aten::silu" "" ();
    /// `torch.clamp` with both bounds; `aten::clamp` takes one alone.
    fn clamp(&self, min: impl Into<Scalar>, max: impl Into<Scalar>) = "aten::clamp" "" (Some(min.into()), Some(max.into()));
    /// `torch.max` over all elements.
    fn max(&self) = "aten::max" "" ();
    /// `torch.min` over all elements.
    fn min(&self) = "aten::min" "" ();
    /// `torch.abs`: element by element.
    fn abs(&self) = "aten::abs" "" ();
    /// `torch.pow` with a number.
    fn pow(&self, exponent: impl Into<Scalar>) = "aten::pow" "Tensor_Scalar" (exponent.into());
}
