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

/// Elements of tensors. Those of 16 bits are converted, a row at a time, in `room`.
pub(crate) trait Element: TensorElement {
    type Real: Real;
    fn room(columns: usize) -> Vec<Self::Real>;
    fn read<'a>(row: &'a [Self], room: &'a mut [Self::Real]) -> &'a [Self::Real];
    fn write(row: &mut [Self], room: &mut [Self::Real], fill: impl FnOnce(&mut [Self::Real]));
}

macro_rules! as_it_is {
    ($($type:ty)*) => {$(
        impl Element for $type {
            type Real = $type;
            fn room(_columns: usize) -> Vec<$type> {
                Vec::new()
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
            fn room(columns: usize) -> Vec<f32> {
                vec![0.0; columns]
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
