//! Torch's operators by their functions: operators whose bodies call one each.

use torchop::prelude::*;
use torchop::{aten, call};

/// The functions with their schemas, or the schemas left out with the reasons.
#[torch_op(schema = "test_aten::list(bool left_out) -> (str[], str[])", composite_explicit)]
fn list(left_out: bool) -> (Vec<String>, Vec<String>) {
    let pairs = if left_out { aten::LEFT_OUT } else { aten::FUNCTIONS };
    pairs.iter().map(|(first, second)| ((*first).to_owned(), (*second).to_owned())).unzip()
}

/// One call, by its name. `x` and `y` are of 3 by 4 floats, `i` are numbers of rows.
#[torch_op(schema = "test_aten::sample(str which, Tensor x, Tensor y, Tensor i) -> Tensor[]", composite)]
fn sample(which: &str, x: &Tensor, y: &Tensor, i: &Tensor) -> Result<Vec<Tensor>> {
    let one = |tensor: Result<Tensor>| tensor.map(|tensor| vec![tensor]);
    let pair = |tensors: Result<(Tensor, Tensor)>| tensors.map(|(a, b)| vec![a, b]);
    match which {
        "relu" => one(aten::relu(x)),
        "add" => one(aten::add(x, y, 2)),
        "add_scalar" => one(aten::add_scalar(x, 1.5, 1)),
        "where" => one(aten::where_self(&aten::gt_scalar(x, 0.5)?, x, y)),
        "lerp" => one(aten::lerp_scalar(x, y, 0.25)),
        "addmm" => one(aten::addmm(&aten::matmul(x, &aten::t(y)?)?, x, &aten::t(y)?, 0.5, 2.0)),
        "matmul" => one(aten::matmul(x, &aten::transpose(y, 0, 1)?)),
        "linear" => one(aten::linear(x, y, None)),
        "linear_bias" => one(aten::linear(x, y, Some(&aten::select(x, 1, 0)?))),
        "softmax" => one(aten::softmax(x, -1, None)),
        "softmax_f64" => one(aten::softmax_int(x, 0, Some(DType::Float64))),
        "sum" => one(aten::sum(x, None)),
        "sum_dims" => one(aten::sum_dim_int_list(x, Some(&[0, 1]), true, None)),
        "sum_no_dims" => one(aten::sum_dim_int_list(x, None, false, None)),
        "mean_dim" => one(aten::mean_dim(x, Some(&[1]), false, Some(DType::Float64))),
        "std" => one(aten::std_correction(x, Some(&[1]), Some(0.into()), false)),
        "norm" => one(aten::linalg_vector_norm(x, 3, Some(&[1]), false, None)),
        "clamp" => one(aten::clamp(x, Some(0.2.into()), None)),
        "pow" => one(aten::pow_tensor_scalar(x, 3)),
        "gelu" => one(aten::gelu(x, "tanh")),
        "layer_norm" => one(aten::layer_norm(x, &[4], Some(&aten::select(y, 0, 1)?), None, 1e-5, false)),
        "embedding" => one(aten::embedding(x, i, -1, false, false)),
        "index" => one(aten::index(x, &[Some(i)])),
        "index_second" => one(aten::index(x, &[None, Some(i)])),
        "index_select" => one(aten::index_select(x, 0, i)),
        "gather" => one(aten::gather(x, 0, &aten::expand(&aten::unsqueeze(i, 1)?, &[2, 4], false)?, false)),
        "max_dim" => pair(aten::max_dim(x, 1, false)),
        "topk" => pair(aten::topk(x, 2, 1, true, true)),
        "var_mean" => pair(aten::var_mean_correction(x, Some(&[1]), Some(1.into()), true)),
        "cat" => one(aten::cat(&[x, y], 0)),
        "stack" => one(aten::stack(&[x.clone(), y.clone(), x.clone()], 1)),
        "chunk" => aten::chunk(x, 2, 1),
        "split" => aten::split_sizes(x, &[1, 3], 1),
        "unbind" => aten::unbind(x, 0),
        "einsum" => one(aten::einsum("ij,kj->ik", &[x, y], None)),
        "view" => one(aten::view(x, &[2, 6])),
        "permute" => one(aten::permute(x, &[1, 0])),
        "slice" => one(aten::slice(x, 1, Some(1.into()), None, 2)),
        "pad" => one(aten::constant_pad_nd(x, &[1, 2], -1.0)),
        "roll" => one(aten::roll(x, &[1], &[0])),
        "to" => one(aten::to_dtype(x, DType::Float64, false, true, None)),
        "interpolate" => one(aten::upsample_nearest2d_vec(&aten::view(x, &[1, 1, 3, 4])?, None, Some(&[2.0, 2.0]))),
        "conv2d" => one(aten::conv2d(
            &aten::view(x, &[1, 1, 3, 4])?, &aten::view(y, &[3, 1, 2, 2])?, None, &[1, 1], &[1, 0], &[1, 1], 1,
        )),
        "max_pool" => one(aten::max_pool2d(&aten::view(x, &[1, 3, 4])?, &[2, 2], &[1, 1], &[0, 0], &[1, 1], false)),
        "dropout_off" => one(aten::dropout(x, 0.5, false)),
        "zeros" => one(aten::zeros(&[2, 3], DType::Float64)),
        "full" => one(aten::full(&[2], true, DType::Bool)),
        "arange" => one(aten::arange_start_step(0, 10, 3, ())),
        "eye" => one(aten::eye_m(2, 3, (DType::Int32, Device::CPU))),
        "zeros_like" => one(aten::zeros_like(x, DType::Int64, None)),
        other => Err(Error::value(format!("no sample is called `{other}`"))),
    }
}

/// `x`, times two.
#[torch_op(schema = "test_aten::doubled(Tensor x, Tensor read) -> Tensor", cpu, nondifferentiable)]
fn doubled(x: &Tensor, read: &Tensor) -> Result<Tensor> {
    let _view = read.view::<f32>()?;
    x.mul_scalar(2.0)
}

/// In place, while somebody looks at `read`. Within another vmap `x` is a wrapper.
#[torch_op(batch_of = doubled)]
fn doubled_batch(x: &Tensor, read: &Tensor) -> Result<Tensor> {
    let _view = read.view::<f32>()?;
    let mut same = x.clone();
    aten::mul__scalar(&mut same, 2.0)?;
    same.deep_clone()
}

/// One call of an operator that writes, to a tensor that is then given.
#[torch_op(schema = "test_aten::written(str which, Tensor x, Tensor y) -> Tensor[]", composite)]
fn written(which: &str, x: &Tensor, y: &Tensor) -> Result<Vec<Tensor>> {
    let mut out = x.deep_clone()?;
    match which {
        "add_" => aten::add_(&mut out, y, 3)?,
        "mul__scalar" => aten::mul__scalar(&mut out, 2.0)?,
        "relu_" => aten::relu_(&mut out)?,
        "add_out" => aten::add_out(x, y, 1, &mut out)?,
        "max_dim_max" => {
            let mut places = Tensor::empty(&[3], DType::Int64)?;
            let mut values = Tensor::empty(&[3], x.dtype()?)?;
            aten::max_dim_max(x, 1, false, &mut values, &mut places)?;
            return Ok(vec![values, places]);
        }
        "foreach" => {
            let mut all = [out, y.deep_clone()?];
            aten::_foreach_add__scalar(&mut all, 2)?;
            return Ok(all.into());
        }
        "index_put_" => aten::index_put_(&mut out, &[Some(&Tensor::from_slice(&[1_i64], &[1])?)], y, true)?,
        other => return Err(Error::value(format!("no sample is called `{other}`"))),
    }
    Ok(vec![out])
}

/// Numbers that operators return.
#[torch_op(schema = "test_aten::numbers(Tensor x) -> (Scalar, bool, int, int, ScalarType)", composite_explicit)]
fn numbers(x: &Tensor) -> Result<(Scalar, bool, i64, i64, DType)> {
    let size = aten::sym_size(x, 0)?.specialize()?;
    let item = aten::item(&aten::sum(x, None)?)?;
    Ok((item, aten::equal(x, x)?, aten::size(x, 1)?, size, aten::result_type(x, &Tensor::zeros(&[1], DType::Float64)?)?))
}

#[torch_op(schema = "test_aten::projected(Tensor x, Tensor w) -> Tensor", cpu)]
fn projected(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    aten::relu(&aten::matmul(x, w)?)
}

/// The same on fakes, with sizes that are symbols.
#[torch_op(fake_of = projected)]
fn projected_fake(x: &FakeTensor, w: &FakeTensor) -> Result<FakeTensor> {
    let product = aten::matmul(x.as_tensor(), w.as_tensor())?;
    let sizes = FakeTensor::from(product.clone()).sym_sizes()?;
    Ok(aten::relu(&aten::view(&product, &sizes)?)?.into())
}

#[torch_op(backward_of = projected)]
fn projected_backward(grad_output: &Tensor, output: &Tensor, x: &Tensor, w: &Tensor) -> Result<(Tensor, Tensor)> {
    let grad = grad_output * aten::gt_scalar(output, 0)?;
    Ok((aten::matmul(&grad, &aten::t(w)?)?, aten::matmul(&aten::t(x)?, &grad)?))
}

#[torch_op(schema = "test_aten::arithmetic(Tensor a, Tensor b) -> Tensor[]", composite)]
fn arithmetic(a: &Tensor, b: &Tensor) -> Vec<Tensor> {
    vec![a + b, a - b * 2.0, 1.0 - a, 2 / (b + 1), -a / b, 3 * a + 1, (a + b) * (a.clone() - b)]
}

#[torch_op(schema = "test_aten::arithmetic_fake(Tensor a, Tensor b) -> Tensor", cpu)]
fn arithmetic_fake(a: &Tensor, b: &Tensor) -> Tensor {
    (a + b) / 2.0
}

#[torch_op(fake_of = arithmetic_fake)]
fn arithmetic_fake_fake(a: &FakeTensor, b: &FakeTensor) -> FakeTensor {
    (a + b) / 2.0
}

/// By the operators' names, some of libraries that are not there when this is compiled.
#[torch_op(schema = "test_aten::called(str which, Tensor x) -> Tensor", composite_explicit)]
fn called(which: &str, x: &Tensor) -> Result<Tensor> {
    match which {
        "softmax" => call!("aten::softmax.int", x, -1),
        "defaults" => call!("aten::addmm", x, x, x),
        "several" => Ok(call!("aten::max.dim", x, 0 => (Tensor, Tensor))?.0),
        "other" => call!("test_aten_other::scaled.by", x, 3.0),
        "wrong type" => call!("test_aten_other::scaled.by", x, "three"),
        "wrong list" => call!("aten::cat", &[1_i64, 2][..], 0),
        "missing" => call!("test_aten_other::scaled.by", x),
        "too many" => call!("test_aten_other::scaled.by", x, 3.0, 4.0),
        "wrong result" => call!("test_aten_other::scaled.by", x, 3.0 => i64).map(|_| x.clone()),
        "not there" => call!("test_aten_other::nothing", x),
        "symbols" => call!("aten::view", x, &[SymInt::from(-1)][..] => Tensor)?.deep_clone(),
        other => Err(Error::value(format!("no call is called `{other}`"))),
    }
}

/// Grad mode and inference mode: before, under two guards, and after they have ended in the wrong order.
#[torch_op(schema = "test_aten::modes(Tensor x) -> bool[]", composite)]
fn modes(x: &Tensor) -> Result<Vec<bool>> {
    let mut seen = vec![torchop::is_grad_enabled(), aten::mul_scalar(x, 2)?.requires_grad()?];
    let outer = torchop::no_grad();
    seen.extend([torchop::is_grad_enabled(), aten::mul_scalar(x, 2)?.requires_grad()?]);
    let inner = torchop::inference_mode()?;
    seen.extend([torchop::is_inference_mode_enabled(), aten::mul_scalar(x, 2)?.is_inference()?]);
    drop(outer);
    seen.push(torchop::is_inference_mode_enabled());
    drop(inner);
    seen.extend([torchop::is_inference_mode_enabled(), torchop::is_grad_enabled()]);
    seen.push(aten::mul_scalar(x, 2)?.requires_grad()?);
    Ok(seen)
}

#[torch_op(schema = "test_aten::seeded(int seed) -> Tensor", composite_explicit)]
fn seeded(seed: i64) -> Result<Tensor> {
    torchop::manual_seed(seed as u64)?;
    aten::rand(&[4], ())
}

#[torch_op(schema = "test_aten::with_default(ScalarType dtype) -> (ScalarType, ScalarType)", composite_explicit)]
fn with_default(dtype: DType) -> Result<(DType, DType)> {
    let before = torchop::default_dtype();
    torchop::set_default_dtype(dtype)?;
    let made = aten::zeros(&[1], ())?.dtype();
    torchop::set_default_dtype(before)?;
    Ok((before, made?))
}
