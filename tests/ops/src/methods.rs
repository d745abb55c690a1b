//! Methods and arithmetic of tensors: an operator that calls one of them, by its name.

use torchop::Complex;
use torchop::prelude::*;

/// One call without anything written.
#[torch_op(schema = "test_methods::called(str which, Tensor x, Tensor y) -> Tensor", composite)]
fn called(which: &str, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match which {
        "add" => x.add(y),
        "sub" => x.sub(y),
        "mul" => x.mul(y),
        "div" => x.div(y),
        "mul_scalar" => x.mul_scalar(3.0),
        "neg" => x.neg(),
        "matmul" => x.matmul(&y.t()?),
        "sum" => x.sum(),
        "sum_dims" => x.sum_dims(&[0], true),
        "sum_dims of none" => x.sum_dims(&[], false),
        "mean" => x.mean(),
        "mean_dims" => x.mean_dims(&[-1], false),
        "softmax" => x.softmax(-1),
        "log_softmax" => x.log_softmax(0),
        "relu" => x.relu(),
        "sigmoid" => x.sigmoid(),
        "tanh" => x.tanh(),
        "exp" => x.exp(),
        "log" => x.log(),
        "sqrt" => x.sqrt(),
        "rsqrt" => x.rsqrt(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "silu" => x.silu(),
        "clamp" => x.clamp(0.25, 1),
        "max" => x.max(),
        "min" => x.min(),
        "abs" => x.abs(),
        "pow" => x.pow(2),
        "pow by a float" => x.pow(0.5),
        "t" => x.t(),
        "flatten" => x.t()?.flatten(),
        "flatten view" => x.flatten(),
        "f32" => Ok(x * 0.1_f32 + 2.0_f32),
        "complex" => Ok(x * Complex64::new(1.0, 2.0)),
        "scalar" => Ok(x - Scalar::Int(3)),
        other => Err(Error::value(format!("no sample is called `{other}`"))),
    }
}

/// One that writes to `x`.
#[torch_op(schema = "test_methods::in_place(str which, Tensor(a!) x, Tensor y) -> ()", composite)]
fn in_place(which: &str, x: &mut Tensor, y: &Tensor) -> Result<()> {
    match which {
        "+=" => *x += y,
        "-=" => *x -= y,
        "*=" => *x *= y,
        "/=" => *x /= y,
        "+= owned" => *x += y * 2.0,
        "+= number" => *x += 2,
        "-= number" => *x -= 0.5,
        "*= number" => *x *= 0.1_f32,
        "/= number" => *x /= 4,
        "zero_" => x.zero_()?,
        other => return Err(Error::value(format!("no sample is called `{other}`"))),
    }
    Ok(())
}

/// The one element, read as the type of this name.
#[torch_op(schema = "test_methods::item(Tensor x, str what) -> str", composite)]
fn item(x: &Tensor, what: &str) -> Result<String> {
    Ok(match what {
        "f16" => x.item::<f16>()?.to_string(),
        "bf16" => x.item::<bf16>()?.to_string(),
        "f32" => x.item::<f32>()?.to_string(),
        "f64" => x.item::<f64>()?.to_string(),
        "i8" => x.item::<i8>()?.to_string(),
        "i64" => x.item::<i64>()?.to_string(),
        "u64" => x.item::<u64>()?.to_string(),
        "bool" => x.item::<bool>()?.to_string(),
        "Complex<f32>" => x.item::<Complex<f32>>()?.to_string(),
        "Complex64" => x.item::<Complex64>()?.to_string(),
        "Scalar" => format!("{:?}", x.item::<Scalar>()?),
        other => return Err(Error::value(format!("no type is called `{other}`"))),
    })
}

#[torch_op(schema = "test_methods::scalar(Scalar x) -> Scalar", composite_explicit)]
fn scalar(x: Scalar) -> Scalar {
    x
}

/// A number too large for `i64`, as an argument.
#[torch_op(schema = "test_methods::largest_uint64() -> Tensor", composite_explicit)]
fn largest_uint64() -> Result<Tensor> {
    Tensor::full(&[2], Scalar::UInt(u64::MAX), DType::UInt64)
}
