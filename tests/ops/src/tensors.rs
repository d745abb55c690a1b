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

/// By its name: whether it is floating-point, whether complex.
#[torch_op(schema = "test_ops::kind_of_dtype(str name) -> (bool, bool)", composite_explicit)]
fn kind_of_dtype(name: &str) -> Result<(bool, bool)> {
    let dtype: DType = name.parse()?;
    Ok((dtype.is_floating_point(), dtype.is_complex()))
}

#[torch_op(schema = "test_ops::device_of_name(str name) -> Device", composite_explicit)]
fn device_of_name(name: &str) -> Result<Device> {
    name.parse()
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

#[torch_op(schema = "test_ops::dims_of(Tensor x) -> (int[] sizes, int[] strides)", composite_explicit)]
fn dims_of(x: &Tensor) -> Result<(Vec<i64>, Vec<i64>)> {
    let dims = x.dims()?;
    assert_eq!(dims.len() as i64, x.dim()?);
    let mut backwards: Vec<_> = x.dims()?.rev().collect();
    backwards.reverse();
    let both: Vec<_> = dims.collect();
    assert_eq!(both, backwards);
    Ok(both.into_iter().unzip())
}

static RESIZE: TorchOp = TorchOp::new("aten::resize_", "");

/// Gives the tensor other sizes after the first dimension was read, and reads on.
#[torch_op(schema = "test_ops::dims_while_resized(Tensor x, int[] sizes) -> int[]", cpu)]
fn dims_while_resized(x: &Tensor, sizes: &[i64]) -> Result<Vec<i64>> {
    let mut other = x.clone();
    let mut dims = x.dims()?;
    let first = dims.next();
    RESIZE.call::<Tensor>((&mut other, sizes))?;
    Ok(first.into_iter().chain(dims).map(|(size, _)| size).collect())
}

#[torch_op(schema = "test_ops::reads_in_place(Tensor x) -> (bool metadata, bool device)", composite)]
fn reads_in_place(x: &Tensor) -> (bool, bool) {
    torchop::__private0::reads_in_place(x)
}

/// For tensors that Python answers for: what it takes from them, in one go.
#[torch_op(schema = "test_ops::seen_through_python(Tensor x) -> (int[] sizes, int[] strides, str device)", composite)]
fn seen_through_python(x: &Tensor) -> Result<(Vec<i64>, Vec<i64>, String)> {
    let (sizes, strides): (Vec<_>, Vec<_>) = x.dims()?.unzip();
    let rank = x.dim()?;
    assert_eq!(sizes, (0..rank).map(|dim| x.size(dim)).collect::<Result<Vec<_>>>()?);
    assert_eq!(strides, (0..rank).map(|dim| x.stride(dim)).collect::<Result<Vec<_>>>()?);
    assert_eq!((&x.sizes()?[..], &x.strides()?[..]), (&sizes[..], &strides[..]));
    assert_eq!(x.numel()?, sizes.iter().product::<i64>());
    Ok((sizes, strides, x.device()?.to_string()))
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
