//! `+`, `-`, `*` and `/`, by torch's operators; `+=` and its relatives in place, as in C++.
//!
//! An operator cannot return a `Result`: where torch raises, it panics. At the border of a kernel the panic is torch's exception again, as if it
//! had been passed on by `?`.

use super::Tensor;
use crate::error::Result;
use crate::fake_tensor::FakeTensor;
use crate::op::{TorchOp, raise};
use crate::scalar::Scalar;
use num_complex::Complex64;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// What stands beside a tensor.
trait Operand {
    fn as_tensor(&self) -> &Tensor;
    fn of(tensor: Tensor) -> Self;
}

impl Operand for Tensor {
    fn as_tensor(&self) -> &Tensor {
        self
    }
    fn of(tensor: Tensor) -> Self {
        tensor
    }
}

impl Operand for FakeTensor {
    fn as_tensor(&self) -> &Tensor {
        FakeTensor::as_tensor(self)
    }
    fn of(tensor: Tensor) -> Self {
        tensor.into()
    }
}

#[track_caller]
fn or_panic<T: Operand>(result: Result<Tensor>) -> T {
    match result {
        Ok(tensor) => T::of(tensor),
        Err(error) => raise(error),
    }
}

macro_rules! tensors {
    ($($trait:ident $function:ident $op:literal ($($last:expr),*);)*) => { $(
        tensors!(@of $trait $function $op ($($last),*) Tensor);
        tensors!(@of $trait $function $op ($($last),*) FakeTensor);
    )* };
    (@of $trait:ident $function:ident $op:literal ($($last:expr),*) $tensor:ty) => {
        tensors!(@between $trait $function $op ($($last),*) $tensor: &$tensor, &$tensor);
        tensors!(@between $trait $function $op ($($last),*) $tensor: $tensor, &$tensor);
        tensors!(@between $trait $function $op ($($last),*) $tensor: &$tensor, $tensor);
        tensors!(@between $trait $function $op ($($last),*) $tensor: $tensor, $tensor);
        tensors!(@number $trait $function $op ($($last),*) $tensor: &$tensor);
        tensors!(@number $trait $function $op ($($last),*) $tensor: $tensor);
    };
    (@between $trait:ident $function:ident $op:literal ($($last:expr),*) $tensor:ty: $left:ty, $right:ty) => {
        impl $trait<$right> for $left {
            type Output = $tensor;
            #[track_caller]
            fn $function(self, other: $right) -> $tensor {
                static OP: TorchOp = TorchOp::new($op, "Tensor");
                or_panic(OP.call_known::<Tensor>((self.as_tensor(), other.as_tensor(), $($last),*)))
            }
        }
    };
    (@number $trait:ident $function:ident $op:literal ($($last:expr),*) $tensor:ty: $left:ty) => {
        impl<N: Into<Scalar> + Number> $trait<N> for $left {
            type Output = $tensor;
            #[track_caller]
            fn $function(self, other: N) -> $tensor {
                static OP: TorchOp = TorchOp::new($op, "Scalar");
                or_panic(OP.call_known::<Tensor>((self.as_tensor(), other.into(), $($last),*)))
            }
        }
    };
}

/// A number beside a tensor.
#[doc(hidden)]
pub trait Number {}
impl Number for i64 {}
impl Number for f64 {}
// Not on the left: the compiler would not know what the `2.0` in `2.0 * x` is.
impl Number for f32 {}
impl Number for Complex64 {}
impl Number for Scalar {}

tensors! {
    Add add "aten::add" (1_i64);
    Sub sub "aten::sub" (1_i64);
    Mul mul "aten::mul" ();
    Div div "aten::div" ();
}

macro_rules! in_place {
    ($($trait:ident $function:ident $op:literal ($($last:expr),*);)*) => { $(
        in_place!(@tensor $trait $function $op ($($last),*): &Tensor, other => other);
        in_place!(@tensor $trait $function $op ($($last),*): Tensor, other => &other);
        /// In place: the tensor's memory is written to, which its views share.
        impl<N: Into<Scalar> + Number> $trait<N> for Tensor {
            #[track_caller]
            fn $function(&mut self, other: N) {
                static OP: TorchOp = TorchOp::new($op, "Scalar");
                drop(or_panic::<Tensor>(OP.call_known::<Tensor>((self, other.into(), $($last),*))));
            }
        }
    )* };
    (@tensor $trait:ident $function:ident $op:literal ($($last:expr),*): $right:ty, $other:ident => $lent:expr) => {
        /// In place: the tensor's memory is written to, which its views share.
        impl $trait<$right> for Tensor {
            #[track_caller]
            fn $function(&mut self, $other: $right) {
                static OP: TorchOp = TorchOp::new($op, "Tensor");
                drop(or_panic::<Tensor>(OP.call_known::<Tensor>((self, $lent, $($last),*))));
            }
        }
    };
}

in_place! {
    AddAssign add_assign "aten::add_" (1_i64);
    SubAssign sub_assign "aten::sub_" (1_i64);
    MulAssign mul_assign "aten::mul_" ();
    DivAssign div_assign "aten::div_" ();
}

macro_rules! number_first {
    ($($number:ty)*) => { $(
        number_first!(@with $number: &Tensor, Tensor);
        number_first!(@with $number: Tensor, Tensor);
        number_first!(@with $number: &FakeTensor, FakeTensor);
        number_first!(@with $number: FakeTensor, FakeTensor);
    )* };
    (@with $number:ty: $right:ty, $tensor:ty) => {
        impl Add<$right> for $number {
            type Output = $tensor;
            #[track_caller]
            fn add(self, tensor: $right) -> $tensor {
                tensor + self
            }
        }
        impl Mul<$right> for $number {
            type Output = $tensor;
            #[track_caller]
            fn mul(self, tensor: $right) -> $tensor {
                tensor * self
            }
        }
        impl Sub<$right> for $number {
            type Output = $tensor;
            #[track_caller]
            fn sub(self, tensor: $right) -> $tensor {
                static OP: TorchOp = TorchOp::new("aten::rsub", "Scalar");
                or_panic(OP.call_known::<Tensor>((tensor.as_tensor(), Scalar::from(self), 1_i64)))
            }
        }
        impl Div<$right> for $number {
            type Output = $tensor;
            #[track_caller]
            #[allow(clippy::suspicious_arithmetic_impl, reason = "as torch does")]
            fn div(self, tensor: $right) -> $tensor {
                static OP: TorchOp = TorchOp::new("aten::reciprocal", "");
                let reciprocal: $tensor = or_panic(OP.call_known::<Tensor>((tensor.as_tensor(),)));
                reciprocal * self
            }
        }
    };
}

number_first!(i64 f64);

macro_rules! negation {
    ($($type:ty => $tensor:ty;)*) => { $(
        impl Neg for $type {
            type Output = $tensor;
            #[track_caller]
            fn neg(self) -> $tensor {
                or_panic(Tensor::neg(self.as_tensor()))
            }
        }
    )* };
}

negation! { &Tensor => Tensor; Tensor => Tensor; &FakeTensor => FakeTensor; FakeTensor => FakeTensor; }
