//! Functions for torch's transforms: forward mode and vmap.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use torchop::prelude::*;

static MATMUL: TorchOp = TorchOp::new("aten::matmul", "");
static MV: TorchOp = TorchOp::new("aten::mv", "");
static OUTER: TorchOp = TorchOp::new("aten::outer", "");
static T: TorchOp = TorchOp::new("aten::t", "");
static UNSQUEEZE: TorchOp = TorchOp::new("aten::unsqueeze", "");
static SQUEEZE: TorchOp = TorchOp::new("aten::squeeze", "dim");

/// How often a kernel or a rule of this file ran.
static KERNELS: AtomicI64 = AtomicI64::new(0);
static RULES: AtomicI64 = AtomicI64::new(0);

/// Kernels and rules since the last time.
#[torch_op(schema = "test_ops::transform_counts() -> (int kernels, int rules)", composite_explicit)]
fn transform_counts() -> (i64, i64) {
    (KERNELS.swap(0, SeqCst), RULES.swap(0, SeqCst))
}

/// `x ** 3`
#[torch_op(schema = "test_ops::cube(Tensor x) -> Tensor", cpu)]
pub fn cube(x: &Tensor) -> Result<Tensor> {
    KERNELS.fetch_add(1, SeqCst);
    x.mul(x)?.mul(x)
}

#[torch_op(fake_of = cube)]
fn cube_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = cube)]
fn cube_backward(grad_output: &Tensor, x: &Tensor) -> Result<Tensor> {
    grad_output.mul(x)?.mul(x)?.mul_scalar(3.0)
}

#[torch_op(jvp_of = cube)]
fn cube_jvp(tangent_x: &Tensor, x: &Tensor) -> Result<Tensor> {
    tangent_x.mul(x)?.mul(x)?.mul_scalar(3.0)
}

#[torch_op(batch_of = cube)]
fn cube_batch(x: &Tensor) -> Result<Tensor> {
    RULES.fetch_add(1, SeqCst);
    cube(x)
}

/// `matrix @ vector`
#[torch_op(schema = "test_ops::apply_matrix(Tensor matrix, Tensor vector) -> Tensor", cpu)]
pub fn apply_matrix(matrix: &Tensor, vector: &Tensor) -> Result<Tensor> {
    KERNELS.fetch_add(1, SeqCst);
    if (matrix.dim()?, vector.dim()?) != (2, 1) {
        return Err(Error::value(format!("expected a matrix and a vector, got {matrix:?} and {vector:?}")));
    }
    MV.call::<Tensor>((matrix, vector))
}

#[torch_op(fake_of = apply_matrix)]
fn apply_matrix_fake(matrix: &FakeTensor, _vector: &FakeTensor) -> Result<FakeTensor> {
    matrix.new_empty(&[matrix.sym_size(0)?])
}

#[torch_op(backward_of = apply_matrix)]
fn apply_matrix_backward(grad_output: &Tensor, matrix: &Tensor, vector: &Tensor) -> Result<(Tensor, Tensor)> {
    let outer = OUTER.call::<Tensor>((grad_output, vector))?;
    Ok((outer, MV.call::<Tensor>((&T.call::<Tensor>((matrix,))?, grad_output))?))
}

#[torch_op(jvp_of = apply_matrix)]
fn apply_matrix_jvp(
    tangent_matrix: Option<&Tensor>,
    tangent_vector: Option<&Tensor>,
    matrix: &Tensor,
    vector: &Tensor,
) -> Result<Option<Tensor>> {
    let of_matrix = tangent_matrix.map(|t| MV.call::<Tensor>((t, vector))).transpose()?;
    let of_vector = tangent_vector.map(|t| MV.call::<Tensor>((matrix, t))).transpose()?;
    Ok(match (of_matrix, of_vector) {
        (Some(a), Some(b)) => Some(a.add(&b)?),
        (one, None) | (None, one) => one,
    })
}

/// One batched product for whichever of the two has the batch dimension.
#[torch_op(batch_of = apply_matrix)]
fn apply_matrix_batch(
    matrix: &Tensor,
    is_batched_matrix: bool,
    vector: &Tensor,
    is_batched_vector: bool,
    batch_size: i64,
) -> Result<Tensor> {
    RULES.fetch_add(1, SeqCst);
    let vector = if is_batched_vector { vector.clone() } else { UNSQUEEZE.call::<Tensor>((vector, 0_i64))? };
    let matrix = if is_batched_matrix { matrix.clone() } else { UNSQUEEZE.call::<Tensor>((matrix, 0_i64))? };
    let columns = UNSQUEEZE.call::<Tensor>((&vector, -1_i64))?;
    let product = SQUEEZE.call::<Tensor>((&MATMUL.call::<Tensor>((&matrix, &columns))?, -1_i64))?;
    if product.size(0)? != batch_size {
        return Err(Error::runtime("the batch has another size"));
    }
    Ok(product)
}

/// `(x * scale, sum of the list)`: tangents through a list, a saved result, a result without a gradient.
#[torch_op(
    schema = "test_ops::mixture(Tensor x, Tensor[] ys, float scale) -> (Tensor scaled, Tensor total, Tensor hint)",
    cpu,
    nondifferentiable(hint)
)]
fn mixture(x: &Tensor, ys: Vec<&Tensor>, scale: f64) -> Result<(Tensor, Tensor, Tensor)> {
    let mut total = x.mul(x)?;
    for y in &ys {
        crate::autograd::same_sizes(x, y)?;
        total = total.add(y)?;
    }
    Ok((x.mul_scalar(scale)?, total, x.mul_scalar(7.0)?))
}

#[torch_op(fake_of = mixture)]
fn mixture_fake(x: &FakeTensor, _ys: Vec<&FakeTensor>, _scale: f64) -> Result<(FakeTensor, FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?, x.empty_like()?))
}

#[torch_op(backward_of = mixture)]
fn mixture_backward(
    grad_scaled: &Tensor,
    grad_total: &Tensor,
    x: &Tensor,
    ys: List<'_, &Tensor>,
    scale: f64,
) -> Result<(Tensor, Vec<Tensor>)> {
    let grad_x = grad_scaled.mul_scalar(scale)?.add(&grad_total.mul(x)?.mul_scalar(2.0)?)?;
    Ok((grad_x, ys.iter().map(|_| grad_total.deep_clone()).collect::<Result<_>>()?))
}

#[torch_op(jvp_of = mixture)]
fn mixture_jvp(
    tangent_x: &Tensor,
    tangent_ys: List<'_, Option<&Tensor>>,
    x: &Tensor,
    scale: f64,
) -> Result<(Tensor, Tensor, Option<Tensor>)> {
    let mut total = tangent_x.mul(x)?.mul_scalar(2.0)?;
    for tangent in tangent_ys.iter().flatten() {
        total = total.add(tangent)?;
    }
    Ok((tangent_x.mul_scalar(scale)?, total, None))
}

/// Whatever it returns has no gradient.
#[torch_op(schema = "test_ops::signs(Tensor x) -> Tensor", cpu, nondifferentiable)]
fn signs(x: &Tensor) -> Result<Tensor> {
    static SIGN: TorchOp = TorchOp::new("aten::sign", "");
    SIGN.call::<Tensor>((x,))
}

#[torch_op(fake_of = signs)]
fn signs_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

/// A list of results.
#[torch_op(schema = "test_ops::halves(Tensor x) -> Tensor[]", cpu)]
fn halves(x: &Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![x.mul_scalar(0.5)?, x.mul_scalar(0.5)?])
}

#[torch_op(fake_of = halves)]
fn halves_fake(x: &FakeTensor) -> Result<Vec<FakeTensor>> {
    Ok(vec![x.empty_like()?, x.empty_like()?])
}

/// A rule that forgets the batch dimension.
#[torch_op(schema = "test_ops::bad_rule(Tensor x) -> Tensor", cpu)]
fn bad_rule(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(batch_of = bad_rule)]
fn bad_rule_batch(x: &Tensor) -> Result<Tensor> {
    x.sum()
}
