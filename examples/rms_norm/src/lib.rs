//! RMSNorm over the last dimension: a layer with its gradient, on the CPU and CUDA.
//!
//! ```python
//! torch.ops.load_library("target/release/librms_norm_ops.so")
//! y = torch.ops.my_layers.rms_norm(x, weight, 1e-6)  # torch.nn.functional.rms_norm(x, (x.size(-1),), weight, 1e-6)
//! ```
//!
//! Two operators, as torch has them: `rms_norm` is what users call; `fused_rms_norm` also gives what its gradient needs, the
//! reciprocal root of each row, so that the backward reads the input once and computes no root again.

#![forbid(unsafe_code)]

mod cpu;
mod cuda;
mod element;
mod parts;
mod second_order;

use torchop::prelude::*;

/// `input / sqrt(mean(input²) + eps) * weight`, where the mean is over the last dimension. `eps` is the machine epsilon if it is
/// `None`. Computes in float32 (float64 for float64) and gives the dtype of `input`. Autocast widens on CUDA and leaves the CPU
/// alone, as for torch's own.
#[torch_op(schema = "my_layers::rms_norm(Tensor input, Tensor? weight=None, float? eps=None) -> Tensor", composite)]
fn rms_norm(input: &Tensor, weight: Option<&Tensor>, eps: Option<f64>) -> Result<Tensor> {
    Ok(fused_rms_norm(input, weight, eps)?.0)
}

/// `rms_norm`, and `1 / sqrt(mean(input²) + eps)` of each row in the dtype of the computation.
#[torch_op(
    schema = "my_layers::fused_rms_norm(Tensor input, Tensor? weight=None, float? eps=None) -> (Tensor output, Tensor rstd)",
    cpu,
    autocast(cuda = f32),
    nondifferentiable(rstd)
)]
fn fused_rms_norm(input: &Tensor, weight: Option<&Tensor>, eps: Option<f64>) -> Result<(Tensor, Tensor)> {
    check_sizes(&input.sizes()?, weight.map(Tensor::sizes).transpose()?.as_deref())?;
    check_weight(weight.map(Tensor::dtype).transpose()?)?;
    dispatch!(input.dtype()?, [f32, f64, f16, bf16], T => cpu::forward::<T>(input, weight, eps))
}

#[torch_op(fake_of = fused_rms_norm)]
fn fused_rms_norm_fake(
    input: &FakeTensor,
    weight: Option<&FakeTensor>,
    _eps: Option<f64>,
) -> Result<(FakeTensor, FakeTensor)> {
    let mut sizes = input.sym_sizes()?;
    let output = input.new_empty(&sizes)?;
    let Some(last) = sizes.last_mut() else { return Err(no_dimension()) };
    let columns = std::mem::replace(last, SymInt::from(1));
    if let Some(weight) = weight {
        check_weight(Some(weight.dtype()?))?;
        if weight.dim()? != 1 {
            return Err(wrong_weight(format!("{:?}", weight.sym_sizes()?), columns));
        }
        let size = weight.sym_size(0)?;
        size.sym_eq(&columns)?.check(format!("rms_norm: expected a weight of size [{columns}], found [{size}]"))?;
    }
    Ok((output, input.new_empty_with_dtype(&sizes, computed_in(input.dtype()?))?))
}

/// The gradients of `input` and `weight`; without need of it, the latter is empty.
#[torch_op(backward_of = fused_rms_norm, name = "my_layers::rms_norm_backward", cpu)]
fn rms_norm_backward(
    grad_output: &Tensor,
    input: &Tensor,
    weight: Option<&Tensor>,
    rstd: &Tensor,
    eps: Option<f64>,
    needs_grad_weight: bool,
) -> Result<(Tensor, Tensor)> {
    // For the second derivative.
    let _ = eps;
    check_gradient(grad_output, input, weight, rstd)?;
    dispatch!(input.dtype()?, [f32, f64, f16, bf16], T => {
        cpu::backward::<T>(grad_output, input, weight, rstd, needs_grad_weight)
    })
}

#[torch_op(fake_of = rms_norm_backward)]
fn rms_norm_backward_fake(
    _grad_output: &FakeTensor,
    input: &FakeTensor,
    weight: Option<&FakeTensor>,
    _rstd: &FakeTensor,
    _eps: Option<f64>,
    needs_grad_weight: bool,
) -> Result<(FakeTensor, FakeTensor)> {
    let grad_weight = match weight {
        Some(weight) if needs_grad_weight => weight.new_empty(&weight.sym_sizes()?)?,
        _ => input.new_empty(&[SymInt::from(0)])?,
    };
    Ok((input.new_empty(&input.sym_sizes()?)?, grad_weight))
}

/// The dtype that sums are taken in.
fn computed_in(dtype: DType) -> DType {
    if dtype == DType::Float64 { dtype } else { DType::Float32 }
}

/// What is added to the mean of the squares.
fn epsilon(eps: Option<f64>, dtype: DType) -> f64 {
    eps.unwrap_or(if dtype == DType::Float64 { f64::EPSILON } else { f64::from(f32::EPSILON) })
}

fn check_sizes(input: &[i64], weight: Option<&[i64]>) -> Result<()> {
    let Some(&columns) = input.last() else { return Err(no_dimension()) };
    match weight {
        Some(weight) if weight != [columns] => Err(wrong_weight(format!("{weight:?}"), columns)),
        _ => Ok(()),
    }
}

/// A weight may be of any real dtype; of a complex one, the imaginary part would be lost.
fn check_weight(dtype: Option<DType>) -> Result<()> {
    match dtype {
        Some(dtype @ (DType::Complex32 | DType::Complex64 | DType::Complex128)) => {
            Err(Error::type_error(format!("rms_norm: found a weight of {dtype}, expected real numbers")))
        }
        _ => Ok(()),
    }
}

/// What the backward was given goes together: it is an operator, which anybody may call.
fn check_gradient(grad_output: &Tensor, input: &Tensor, weight: Option<&Tensor>, rstd: &Tensor) -> Result<()> {
    let (sizes, dtype) = (input.sizes()?, input.dtype()?);
    check_sizes(&sizes, weight.map(Tensor::sizes).transpose()?.as_deref())?;
    check_weight(weight.map(Tensor::dtype).transpose()?)?;
    let (found, found_dtype) = (grad_output.sizes()?, grad_output.dtype()?);
    if found != sizes || found_dtype != dtype {
        return Err(Error::value(format!(
            "rms_norm: found a gradient of size {found} and dtype {found_dtype}, expected {sizes} and {dtype}"
        )));
    }
    let (numbers, rows) = (rstd.numel()?, input.numel()?.checked_div(input.size(-1)?));
    if rows.is_some_and(|rows| rows != numbers) || rstd.dtype()? != computed_in(dtype) {
        let (found, found_dtype) = (rstd.sizes()?, rstd.dtype()?);
        return Err(Error::value(format!(
            "rms_norm: found an `rstd` of size {found} and dtype {found_dtype}, expected a number for each row, in {}",
            computed_in(dtype)
        )));
    }
    Ok(())
}

fn no_dimension() -> Error {
    Error::value("rms_norm: expected an `input` of at least 1 dimension, found a number")
}

fn wrong_weight(found: String, columns: impl std::fmt::Display) -> Error {
    Error::value(format!(
        "rms_norm: found a weight of size {found}, expected [{columns}], the last dimension of `input`"
    ))
}

#[cfg(test)]
mod tests {
    use torchop::check::fake_agrees;
    use torchop::prelude::*;

    #[test]
    fn the_fakes_say_what_the_kernels_do() {
        let (x, w) = (Tensor::ones(&[2, 3, 4, 5], ()).unwrap(), Tensor::ones(&[5], ()).unwrap());
        let rstd = Tensor::ones(&[2, 3, 4, 1], ()).unwrap();
        for weight in [None, Some(&w)] {
            assert!(fake_agrees("my_layers::fused_rms_norm", (&x, weight, None::<f64>)).unwrap().len() > 3);
            for needed in [false, true] {
                let arguments = (&x, &x, weight, &rstd, None::<f64>, needed);
                assert!(fake_agrees("my_layers::rms_norm_backward", arguments).unwrap().len() > 3);
            }
        }
    }
}
