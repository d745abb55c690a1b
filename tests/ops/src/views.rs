//! Elements of tensors, by views and slices.

use torchop::prelude::*;
use torchop::{
    Complex, Float4E2M1FnX2, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz, Float8E8M0Fnu, TensorElement,
};

/// A number of any element type, as two: real and imaginary.
trait Number: TensorElement {
    fn number(self) -> Complex64;
}

macro_rules! numbers {
    ($($type:ty: $this:ident => $real:expr, $imaginary:expr;)*) => {$(
        impl Number for $type {
            fn number(self) -> Complex64 {
                let $this = self;
                Complex64::new($real, $imaginary)
            }
        }
    )*};
}

numbers! {
    u8: x => x.into(), 0.0;
    u16: x => x.into(), 0.0;
    u32: x => x.into(), 0.0;
    u64: x => x as f64, 0.0;
    i8: x => x.into(), 0.0;
    i16: x => x.into(), 0.0;
    i32: x => x.into(), 0.0;
    i64: x => x as f64, 0.0;
    f16: x => x.into(), 0.0;
    bf16: x => x.into(), 0.0;
    f32: x => x.into(), 0.0;
    f64: x => x, 0.0;
    bool: x => f64::from(u8::from(x)), 0.0;
    Complex<f16>: x => x.re.into(), x.im.into();
    Complex<f32>: x => x.re.into(), x.im.into();
    Complex<f64>: x => x.re, x.im;
    Float8E5M2: x => x.to_f32().into(), 0.0;
    Float8E4M3Fn: x => x.to_f32().into(), 0.0;
    Float8E5M2Fnuz: x => x.to_f32().into(), 0.0;
    Float8E4M3Fnuz: x => x.to_f32().into(), 0.0;
    Float8E8M0Fnu: x => x.to_f32().into(), 0.0;
    Float4E2M1FnX2: x => x.0.into(), 0.0;
}

/// All elements in row-major order, whatever they are.
#[torch_op(schema = "test_views::numbers(Tensor x) -> (float[] real, float[] imaginary)", composite_explicit)]
fn numbers(x: &Tensor) -> Result<(Vec<f64>, Vec<f64>)> {
    dispatch!(
        x.dtype()?,
        [
            u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, bool, Complex<f16>,
            Complex<f32>, Complex<f64>, Float8E5M2, Float8E4M3Fn, Float8E5M2Fnuz,
            Float8E4M3Fnuz, Float8E8M0Fnu, Float4E2M1FnX2
        ],
        T => Ok(x.view::<T>()?.iter().map(|value| (value.number().re, value.number().im)).unzip())
    )
}

#[torch_op(schema = "test_views::total(Tensor x) -> float", cpu)]
fn total(x: &Tensor) -> Result<f64> {
    dispatch!(x.dtype()?, [f32, f64, f16], T => Ok(x.view::<T>()?.iter().map(|x| x.number().re).sum()))
}

#[torch_op(schema = "test_views::as_f32(Tensor x) -> float", composite_explicit)]
fn as_f32(x: &Tensor) -> Result<f64> {
    Ok(x.view::<f32>()?.iter().map(|x| f64::from(*x)).sum())
}

/// As a function that torch sees the parts of: the tensor as the caller has it.
#[torch_op(schema = "test_views::outside(Tensor x) -> float", composite)]
fn outside(x: &Tensor) -> Result<f64> {
    as_f32::kernel(x)
}

#[torch_op(schema = "test_views::numbers_outside(Tensor x) -> (float[] real, float[] imaginary)", composite)]
fn numbers_outside(x: &Tensor) -> Result<(Vec<f64>, Vec<f64>)> {
    numbers::kernel(x)
}

#[torch_op(schema = "test_views::as_matrix(Tensor x, int row, int column) -> float", cpu)]
fn as_matrix(x: &Tensor, row: i64, column: i64) -> Result<f64> {
    let x = x.view_nd::<f32, 2>()?;
    x.get((row as usize, column as usize)).map(|x| f64::from(*x)).ok_or_else(|| Error::index("no such element"))
}

#[torch_op(schema = "test_views::as_slice(Tensor x) -> float[]", cpu)]
fn as_slice(x: &Tensor) -> Result<Vec<f64>> {
    Ok(x.as_slice::<f32>()?.iter().map(|x| f64::from(*x)).collect())
}

#[torch_op(schema = "test_views::bools(Tensor x) -> bool[]", cpu)]
fn bools(x: &Tensor) -> Result<Vec<bool>> {
    Ok(x.view::<bool>()?.iter().copied().collect())
}

/// `x += value`, on every layout.
#[torch_op(schema = "test_views::add_(Tensor(a!) x, float value) -> ()", cpu)]
pub fn add_(x: &mut Tensor, value: f64) -> Result<()> {
    x.view_mut::<f32>()?.mapv_inplace(|x| x + value as f32);
    Ok(())
}

/// `x, y = y, x`, with both looked at at once.
#[torch_op(schema = "test_views::swap_(Tensor(a!) x, Tensor(b!) y) -> ()", cpu)]
fn swap_(x: &mut Tensor, y: &mut Tensor) -> Result<()> {
    let (mut x, mut y) = (x.view_mut::<f32>()?, y.view_mut::<f32>()?);
    if x.shape() != y.shape() {
        return Err(Error::value("sizes differ"));
    }
    x.iter_mut().zip(y.iter_mut()).for_each(|(x, y)| std::mem::swap(x, y));
    Ok(())
}

/// The sum of what two tensors hold, which may be one.
#[torch_op(schema = "test_views::both(Tensor x, Tensor y) -> float", cpu)]
fn both(x: &Tensor, y: &Tensor) -> Result<f64> {
    let (x, y) = (x.view::<f32>()?, y.view::<f32>()?);
    Ok(x.iter().chain(y.iter()).map(|x| f64::from(*x)).sum())
}

/// Looks at `x` while `test_ops::in_python` has it; then `x` again.
#[torch_op(schema = "test_views::looks_while_python_works(Tensor x) -> float", cpu)]
fn looks_while_python_works(x: &Tensor) -> Result<f64> {
    let view = x.view::<f32>()?;
    crate::calls::in_python(x)?;
    Ok(view.iter().map(|x| f64::from(*x)).sum())
}

/// The same with a view that writes.
#[torch_op(schema = "test_views::writes_while_python_works(Tensor(a!) x, Tensor y) -> ()", cpu)]
fn writes_while_python_works(x: &mut Tensor, y: &Tensor) -> Result<()> {
    let mut view = x.view_mut::<f32>()?;
    crate::calls::in_python(y)?;
    view.fill(1.0);
    Ok(())
}

/// Pairs of numbers of four bits, as bits; in order of rows.
#[torch_op(schema = "test_views::pairs_of_float4(Tensor x) -> int[]", cpu)]
fn pairs_of_float4(x: &Tensor) -> Result<Vec<i64>> {
    Ok(x.view::<Float4E2M1FnX2>()?.iter().map(|pair| pair.0.into()).collect())
}

/// Float8 by way of f32 and back: the bits of what torch gives as f32.
#[torch_op(schema = "test_views::to_float8(Tensor x, int which) -> int[]", cpu)]
fn to_float8(x: &Tensor, which: i64) -> Result<Vec<i64>> {
    let encode = match which {
        0 => |x: f32| Float8E5M2::from_f32(x).0,
        1 => |x: f32| Float8E4M3Fn::from_f32(x).0,
        2 => |x: f32| Float8E5M2Fnuz::from_f32(x).0,
        _ => |x: f32| Float8E4M3Fnuz::from_f32(x).0,
    };
    Ok(x.as_slice::<f32>()?.iter().map(|x| encode(*x).into()).collect())
}
