//! One function over the elements of several tensors.

use torchop::prelude::*;
use torchop::{elementwise, math, result_type};

/// `silu(x) * y`
#[torch_op(schema = "test_elementwise::silu_mul(Tensor x, Tensor y) -> Tensor", cpu)]
fn silu_mul(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    elementwise([x, y], |x: f32, y: f32| math::silu(x) * y)
}

/// `x * 2 + y`, in the type that torch promotes to.
#[torch_op(schema = "test_elementwise::axpy(Tensor x, Tensor y) -> Tensor", cpu)]
fn axpy(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match result_type(&[x, y])? {
        DType::Float16 => elementwise([x, y], |x: f16, y: f16| f16::from_f32(x.to_f32() * 2.0 + y.to_f32())),
        DType::BFloat16 => elementwise([x, y], |x: bf16, y: bf16| bf16::from_f32(x.to_f32() * 2.0 + y.to_f32())),
        dtype => dispatch!(dtype, [f32, f64, i64, i32, u8], T => elementwise([x, y], |x: T, y: T| x + x + y)),
    }
}

/// As a function that torch sees the parts of: a mode of Python may answer for them.
#[torch_op(schema = "test_elementwise::doubled(Tensor x) -> Tensor", composite)]
fn doubled(x: &Tensor) -> Result<Tensor> {
    elementwise([x], |x: f32| x + x)
}

/// Of three types, of which one is made.
#[torch_op(schema = "test_elementwise::choose(Tensor which, Tensor x, Tensor y) -> Tensor", cpu)]
fn choose(which: &Tensor, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    elementwise([which, x, y], |which: bool, x: f32, y: f64| if which { f64::from(x) } else { y })
}

#[torch_op(schema = "test_elementwise::positive(Tensor x) -> Tensor", cpu)]
fn positive(x: &Tensor) -> Result<Tensor> {
    elementwise([x], |x: f32| x > 0.0)
}

#[torch_op(
    schema = "test_elementwise::sum_of_six(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f) -> Tensor",
    cpu
)]
fn sum_of_six(a: &Tensor, b: &Tensor, c: &Tensor, d: &Tensor, e: &Tensor, f: &Tensor) -> Result<Tensor> {
    elementwise([a, b, c, d, e, f], |a: f64, b: f64, c: f64, d: f64, e: f64, f: f64| a + b + c + d + e + f)
}

/// More inputs than a function has arguments.
#[torch_op(schema = "test_elementwise::weighted(Tensor[] tensors) -> Tensor", cpu)]
fn weighted(tensors: &[Tensor]) -> Result<Tensor> {
    let [a, b, c, d, e, f, g, h, i] = tensors else { return Err(Error::value("expected 9 tensors")) };
    elementwise([a, b, c, d, e, f, g, h, i], |values: [f64; 9]| {
        values.iter().zip(1..).map(|(value, weight)| value * f64::from(weight)).sum::<f64>()
    })
}

/// As many as there are types for; none are a number.
#[torch_op(schema = "test_elementwise::of_arrays(Tensor x) -> (Tensor, Tensor, Tensor)", cpu)]
fn of_arrays(x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    Ok((
        elementwise([x], |[x]: [f32; 1]| x > 0.0)?,
        elementwise([x, x], |[x, y]: [i64; 2]| x * y)?,
        elementwise([], |[]: [f32; 0]| 7_u8)?,
    ))
}

#[torch_op(schema = "test_elementwise::panics(Tensor x) -> Tensor", cpu)]
#[allow(clippy::panic)]
fn panics(x: &Tensor) -> Result<Tensor> {
    elementwise([x], |x: f32| if x > 0.0 { x } else { panic!("{x} is not positive") })
}

#[torch_op(schema = "test_elementwise::common(Tensor[] tensors) -> str", composite)]
fn common(tensors: Vec<&Tensor>) -> Result<String> {
    Ok(result_type(&tensors)?.to_string())
}
