//! The one element of a tensor, as a number.

use super::Tensor;
use crate::error::{Error, Result};
use crate::op::TorchOp;
use crate::scalar::Scalar;
use half::{bf16, f16};
use num_complex::{Complex, Complex64};

mod sealed {
    pub trait Sealed {}
}

/// A number that the one element of a tensor can be read as: see [`Tensor::item`].
pub trait Item: Sized + sealed::Sealed {
    #[doc(hidden)]
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Item for $type {
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::Int(value) => value.try_into().ok(),
                    Scalar::UInt(value) => value.try_into().ok(),
                    Scalar::Bool(value) => Some(value.into()),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64 usize isize);

macro_rules! floats {
    ($($type:ty: $value:ident => $from:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Item for $type {
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                scalar.as_f64().ok().map(|$value| $from)
            }
        }
    )*};
}

floats! {
    f64: value => value;
    f32: value => value as f32;
    f16: value => f16::from_f64(value);
    bf16: value => bf16::from_f64(value);
}

impl sealed::Sealed for bool {}
impl Item for bool {
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl sealed::Sealed for Complex64 {}
impl Item for Complex64 {
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Complex(value) => Some(value),
            real => real.as_f64().ok().map(|value| Complex64::new(value, 0.0)),
        }
    }
}

impl sealed::Sealed for Complex<f32> {}
impl Item for Complex<f32> {
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        Complex64::from_scalar(scalar).map(|value| Complex::new(value.re as f32, value.im as f32))
    }
}

impl sealed::Sealed for Scalar {}
impl Item for Scalar {
    fn from_scalar(scalar: Scalar) -> Option<Self> {
        Some(scalar)
    }
}

impl Tensor {
    /// `Tensor.item`: the one element, on any device. Integers are read as floats, and real numbers as complex ones, but not the
    /// other way round; floats are rounded to the type that is asked for.
    ///
    /// # Errors
    /// What torch raises if there is not exactly one element; `TypeError` if it is of another kind, or out of range.
    #[track_caller]
    pub fn item<T: Item>(&self) -> Result<T> {
        static OP: TorchOp = TorchOp::new("aten::item", "");
        let scalar = OP.call::<Scalar>((self,))?;
        T::from_scalar(scalar).ok_or_else(|| {
            Error::type_error(format!("expected an element that fits `{}`, got {scalar:?}", std::any::type_name::<T>()))
        })
    }
}
