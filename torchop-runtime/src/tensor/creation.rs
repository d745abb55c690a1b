//! New tensors, by torch's own operators, so that modes and fakes see them.

use super::{Options, Tensor};
use crate::error::Result;
use crate::op::TorchOp;
use crate::scalar::Scalar;

const NONE: Option<i64> = None;

macro_rules! creations {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($arg:ident: $type:ty),*) = $op:literal $overload:literal ($($value:expr),*) $(, $last:expr)?;
    )*) => {
        impl Tensor {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name($($arg: $type,)* options: impl Into<Options>) -> Result<Tensor> {
                static OP: TorchOp = TorchOp::new($op, $overload);
                let options = options.into();
                OP.call::<Tensor>(($($value,)* options.dtype, options.layout, options.device, options.pinned, $($last)?))
            }
        )*}
    };
}

creations! {
    /// `torch.empty`: uninitialised.
    fn empty(sizes: &[i64]) = "aten::empty" "memory_format" (sizes), NONE;
    /// `torch.zeros`
    fn zeros(sizes: &[i64]) = "aten::zeros" "" (sizes);
    /// `torch.ones`
    fn ones(sizes: &[i64]) = "aten::ones" "" (sizes);
    /// `torch.full`: all elements are `value`, which gives the dtype if none is said.
    fn full(sizes: &[i64], value: impl Into<Scalar>) = "aten::full" "" (sizes, value.into());
    /// `torch.arange`: from `start` to `end`, without it, by `step`. Integers give `int64`.
    fn arange(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>)
        = "aten::arange" "start_step" (start.into(), end.into(), step.into());
    /// `torch.empty_strided`: uninitialised, with these strides, in elements.
    fn empty_strided(sizes: &[i64], strides: &[i64]) = "aten::empty_strided" "" (sizes, strides);
}

macro_rules! likes {
    ($(
        $(#[$doc:meta])*
        fn $name:ident(&self $(, $arg:ident: $type:ty)*) = $op:literal ($($value:expr),*);
    )*) => {
        impl Tensor {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self $(, $arg: $type)*, options: impl Into<Options>) -> Result<Tensor> {
                static OP: TorchOp = TorchOp::new($op, "");
                let options = options.into();
                OP.call::<Tensor>((self, $($value,)* options.dtype, options.layout, options.device, options.pinned, NONE))
            }
        )*}
    };
}

likes! {
    /// `torch.empty_like` with another dtype, layout or device.
    fn empty_like_with(&self) = "aten::empty_like" ();
    /// `torch.zeros_like` with another dtype, layout or device.
    fn zeros_like_with(&self) = "aten::zeros_like" ();
    /// `torch.ones_like`; `()` for the same dtype, layout and device.
    fn ones_like(&self) = "aten::ones_like" ();
    /// `torch.full_like`; `()` for the same dtype, layout and device.
    fn full_like(&self, value: impl Into<Scalar>) = "aten::full_like" (value.into());
}
