//! New tensors, views, conversions, metadata: an operator that does one such thing each.

use torchop::ndarray::{Array, Axis, Slice};
use torchop::prelude::*;

#[torch_op(
    schema = "test_made::created(int[] sizes, float value, ScalarType dtype) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    composite_explicit
)]
fn created(sizes: &[i64], value: f64, dtype: DType) -> Result<(Tensor, Tensor, Tensor, Tensor, Tensor)> {
    Ok((
        Tensor::empty(sizes, dtype)?,
        Tensor::zeros(sizes, dtype)?,
        Tensor::ones(sizes, Options::new().dtype(dtype).device(Device::CPU))?,
        Tensor::full(sizes, value, dtype)?,
        Tensor::arange(0, 10, 3, ())?,
    ))
}

#[torch_op(
    schema = "test_made::likes(Tensor x, ScalarType dtype) -> (Tensor, Tensor, Tensor, Tensor)",
    composite_explicit
)]
fn likes(x: &Tensor, dtype: DType) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    Ok((x.empty_like_with(dtype)?, x.zeros_like_with(dtype)?, x.ones_like(())?, x.full_like(2.5, dtype)?))
}

#[torch_op(schema = "test_made::from_vec(float[] values, int[] sizes) -> Tensor", composite_explicit)]
fn from_vec(values: Vec<f64>, sizes: &[i64]) -> Result<Tensor> {
    Tensor::from_vec(values, sizes)
}

#[torch_op(schema = "test_made::from_slice(int[] values, int[] sizes) -> Tensor", composite_explicit)]
fn from_slice(values: &[i64], sizes: &[i64]) -> Result<Tensor> {
    Tensor::from_slice(values, sizes)
}

/// An array of 2 x 3 x 4 numbers, laid out in that way.
#[torch_op(schema = "test_made::from_array(str how) -> (Tensor, bool)", composite_explicit)]
fn from_array(how: &str) -> Result<(Tensor, bool)> {
    let mut array = Array::from_shape_fn((2, 3, 4), |(a, b, c)| (a * 100 + b * 10 + c) as i32);
    match how {
        "standard" => {}
        "permuted" => array = array.permuted_axes([2, 0, 1]),
        "backwards" => array.invert_axis(Axis(1)),
        "sliced" => {
            array.slice_axis_inplace(Axis(0), Slice::from(1..));
            array.slice_axis_inplace(Axis(1), Slice::from(..).step_by(2));
            array.slice_axis_inplace(Axis(2), Slice::from(1..3));
        }
        "empty" => array.slice_axis_inplace(Axis(0), Slice::from(..0)),
        "one number" => {
            let first = array.as_ptr().expose_provenance();
            let tensor = Tensor::from_array(array.into_shape_with_order(24)?.index_axis_move(Axis(0), 5))?;
            return Ok((tensor.deep_clone()?, tensor.data_ptr()? == first + 5 * size_of::<i32>()));
        }
        _ => return Err(Error::value("no such array")),
    }
    let first = array.as_ptr().expose_provenance();
    let tensor = Tensor::from_array(array)?;
    let is_same = tensor.data_ptr()? == first;
    Ok((tensor, is_same))
}

/// Any thing that one view operator does, by its name.
#[torch_op(schema = "test_made::viewed(Tensor x, str how, int[] n) -> Tensor", composite)]
fn viewed(x: &Tensor, how: &str, n: &[i64]) -> Result<Tensor> {
    match (how, n) {
        ("slice", &[dim, start, end, step]) => x.slice(dim, start, end, step),
        ("slice from", &[dim, start]) => x.slice(dim, start, None, 1),
        ("select", &[dim, index]) => x.select(dim, index),
        ("narrow", &[dim, start, length]) => x.narrow(dim, start, length),
        ("transpose", &[a, b]) => x.transpose(a, b),
        ("permute", n) => x.permute(n),
        ("reshape", n) => x.reshape(n),
        ("as_strided", &[size0, size1, stride0, stride1, offset]) => {
            x.as_strided(&[size0, size1], &[stride0, stride1], offset)
        }
        ("expand", n) => x.expand(n),
        ("squeeze", []) => x.squeeze(),
        ("squeeze", &[dim]) => x.squeeze_dim(dim),
        ("unsqueeze", &[dim]) => x.unsqueeze(dim),
        ("detach", []) => x.detach(),
        ("contiguous", []) => x.contiguous(),
        ("channels_last", []) => x.contiguous_as(MemoryFormat::ChannelsLast),
        _ => Err(Error::value(format!("no such view: {how} {n:?}"))),
    }
}

#[torch_op(schema = "test_made::to_dtype(Tensor x, ScalarType dtype) -> Tensor", composite)]
fn to_dtype(x: &Tensor, dtype: DType) -> Result<Tensor> {
    x.to_dtype(dtype)
}

#[torch_op(schema = "test_made::to_device(Tensor x, Device device, ScalarType dtype) -> (Tensor, Tensor)", composite)]
fn to_device(x: &Tensor, device: Device, dtype: DType) -> Result<(Tensor, Tensor)> {
    Ok((x.to_device(device)?, x.to((dtype, device))?))
}

#[torch_op(schema = "test_made::copy_and_fill_(Tensor(a!) x, Tensor y, Tensor(b!) z) -> ()", cpu)]
fn copy_and_fill_(x: &mut Tensor, y: &Tensor, z: &mut Tensor) -> Result<()> {
    x.copy_(y)?;
    z.fill_(7)
}

#[torch_op(schema = "test_made::items(Tensor x) -> (Scalar, float, str, str)", composite)]
fn items(x: &Tensor) -> Result<(Scalar, f64, String, String)> {
    let told = |result: Result<String>| result.unwrap_or_else(|error| error.message().to_owned());
    Ok((
        x.item()?,
        x.item().unwrap_or(f64::NAN),
        told(x.item::<i64>().map(|n| n.to_string())),
        told(x.item::<u8>().map(|n| n.to_string())),
    ))
}

#[torch_op(schema = "test_made::printed(Tensor x) -> str", composite)]
fn printed(x: &Tensor) -> String {
    format!("{x}")
}

#[torch_op(schema = "test_made::facts(Tensor x) -> (int[], int[], int, str, bool[], bool[], int, int)", composite)]
fn facts(x: &Tensor) -> Result<(Vec<i64>, Vec<i64>, i64, String, Vec<bool>, Vec<bool>, i64, i64)> {
    let dims = 0..x.dim()?;
    Ok((
        dims.clone().map(|dim| x.size(dim)).collect::<Result<_>>()?,
        dims.map(|dim| x.stride(dim)).collect::<Result<_>>()?,
        x.storage_offset()?,
        x.layout()?.python_name().into(),
        vec![
            x.is_contiguous()?,
            x.is_contiguous_as(MemoryFormat::ChannelsLast)?,
            x.is_contiguous_as(MemoryFormat::ChannelsLast3d)?,
        ],
        vec![x.requires_grad()?, x.is_conj()?, x.is_neg()?, x.is_inference()?],
        x.version()?,
        x.data_ptr()? as i64,
    ))
}

#[torch_op(schema = "test_made::share_storage(Tensor x, Tensor y) -> bool", composite)]
fn share_storage(x: &Tensor, y: &Tensor) -> Result<bool> {
    Ok(x.storage_id()? == y.storage_id()? && x.storage_id()? != 0)
}
