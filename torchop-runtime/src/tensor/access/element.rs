//! Which Rust types the elements of tensors are.

use super::float8::{Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu};
use crate::dtype::DType;
use half::{bf16, f16};
use num_complex::Complex;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that elements of tensors are.
///
/// | dtype | Rust |
/// |---|---|
/// | `uint8` … `uint64`, `int8` … `int64` | `u8` … `u64`, `i8` … `i64` |
/// | `float16`, `bfloat16`, `float32`, `float64` | [`f16`], [`bf16`], `f32`, `f64` |
/// | `complex32`, `complex64`, `complex128` | [`Complex`] of [`f16`], `f32`, `f64` |
/// | `bool` | `bool`; a byte that is neither 0 nor 1 is an error |
/// | `float8_…`, `float4_e2m1fn_x2` | the types of these names |
///
/// # Safety
/// The type has the layout of the dtype's elements, and every pattern of bits is a value of it, or `all_valid` says which are.
pub unsafe trait TensorElement: Copy + Send + Sync + std::fmt::Debug + 'static + sealed::Sealed {
    /// The dtype of tensors of such elements.
    const DTYPE: DType;
    /// Whether some patterns of bits are no values.
    #[doc(hidden)]
    const CHECKED: bool = false;
}

macro_rules! elements {
    ($($type:ty, $dtype:ident;)*) => {$(
        impl sealed::Sealed for $type {}
        // SAFETY: the same layout as in torch, where every pattern of bits is a value.
        unsafe impl TensorElement for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

elements! {
    u8, UInt8;
    u16, UInt16;
    u32, UInt32;
    u64, UInt64;
    i8, Int8;
    i16, Int16;
    i32, Int32;
    i64, Int64;
    f16, Float16;
    bf16, BFloat16;
    f32, Float32;
    f64, Float64;
    Complex<f16>, Complex32;
    Complex<f32>, Complex64;
    Complex<f64>, Complex128;
    Float8E5M2, Float8E5M2;
    Float8E4M3Fn, Float8E4M3Fn;
    Float8E5M2Fnuz, Float8E5M2Fnuz;
    Float8E4M3Fnuz, Float8E4M3Fnuz;
    Float8E8M0Fnu, Float8E8M0Fnu;
    Float4E2M1FnX2, Float4E2M1FnX2;
}

impl sealed::Sealed for bool {}
// SAFETY: one byte; views of it look at all bytes first (`memory.rs`).
unsafe impl TensorElement for bool {
    const DTYPE: DType = DType::Bool;
    const CHECKED: bool = true;
}
