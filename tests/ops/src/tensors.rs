//! What Rust sees of a tensor.

use torchop::prelude::*;

#[torch_op(schema = "test_ops::dtype_name(Tensor x) -> str", composite_explicit)]
fn dtype_name(x: &Tensor) -> Result<String> {
    Ok(x.dtype()?.to_string())
}

#[torch_op(schema = "test_ops::dtype_names() -> str[]", composite_explicit)]
fn dtype_names() -> Vec<String> {
    DType::ALL.iter().map(ToString::to_string).collect()
}

#[torch_op(schema = "test_ops::describe(Tensor x) -> str", composite_explicit)]
fn describe(x: &Tensor) -> String {
    format!("{x:?}")
}

#[torch_op(
    schema = "test_ops::geometry(Tensor x) -> (int[] sizes, int[] strides, int offset, int dim, int numel, int span)",
    composite_explicit
)]
fn geometry(x: &Tensor) -> Result<(Vec<i64>, Vec<i64>, i64, i64, i64, i64)> {
    Ok((x.sizes()?.to_vec(), x.strides()?.to_vec(), x.storage_offset()?, x.dim()?, x.numel()?, x.span()?))
}

#[torch_op(
    schema = "test_ops::state_of(Tensor x) -> (bool contiguous, bool requires_grad, str device)",
    composite_explicit
)]
fn state_of(x: &Tensor) -> Result<(bool, bool, String)> {
    Ok((x.is_contiguous()?, x.requires_grad()?, x.device()?.to_string()))
}

#[torch_op(schema = "test_ops::size_at(Tensor x, int dim) -> int", composite_explicit)]
fn size_at(x: &Tensor, dim: i64) -> Result<i64> {
    x.size(dim)
}

#[torch_op(schema = "test_ops::stride_at(Tensor x, int dim) -> int", composite_explicit)]
fn stride_at(x: &Tensor, dim: i64) -> Result<i64> {
    x.stride(dim)
}
