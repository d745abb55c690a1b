//! The element types, and what is computed with.

use half::slice::HalfFloatSliceExt;
use torchop::TensorElement;
use torchop::prelude::*;

/// Numbers that sums are taken of.
pub(crate) trait Real:
    TensorElement
    + Default
    + std::iter::Sum
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::AddAssign
{
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! real {
    ($($type:ty)*) => {$(
        impl Real for $type {
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}
real!(f32 f64);

/// As `vec![value; count]`, which would end the process where there is not so much memory.
pub(crate) fn filled<R: Real>(value: R, count: usize) -> Result<Vec<R>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(count)?;
    numbers.resize(count, value);
    Ok(numbers)
}

/// Elements of tensors. Those of 16 bits are converted, a row at a time, in `room`.
pub(crate) trait Element: TensorElement {
    type Real: Real;
    fn room(columns: usize) -> Result<Vec<Self::Real>>;
    fn read<'a>(row: &'a [Self], room: &'a mut [Self::Real]) -> &'a [Self::Real];
    fn write(row: &mut [Self], room: &mut [Self::Real], fill: impl FnOnce(&mut [Self::Real]));
}

macro_rules! as_it_is {
    ($($type:ty)*) => {$(
        impl Element for $type {
            type Real = $type;
            fn room(_columns: usize) -> Result<Vec<$type>> {
                Ok(Vec::new())
            }
            #[inline(always)]
            fn read<'a>(row: &'a [Self], _room: &'a mut [$type]) -> &'a [$type] {
                row
            }
            #[inline(always)]
            fn write(row: &mut [Self], _room: &mut [$type], fill: impl FnOnce(&mut [$type])) {
                fill(row);
            }
        }
    )*};
}
as_it_is!(f32 f64);

macro_rules! converted {
    ($($type:ty)*) => {$(
        impl Element for $type {
            type Real = f32;
            fn room(columns: usize) -> Result<Vec<f32>> {
                filled(0.0, columns)
            }
            #[inline(always)]
            fn read<'a>(row: &'a [Self], room: &'a mut [f32]) -> &'a [f32] {
                row.convert_to_f32_slice(room);
                room
            }
            #[inline(always)]
            fn write(row: &mut [Self], room: &mut [f32], fill: impl FnOnce(&mut [f32])) {
                fill(room);
                row.convert_from_f32_slice(room);
            }
        }
    )*};
}
converted!(f16 bf16);
