//! CUDA kernels of every kind: from source and PTX, with templates, macros, halves, arrays and scratch memory.

use torchop::cuda::{self, Grid, In, InView, Out, OutView};
use torchop::prelude::*;

torchop::cuda_kernels! {
    // SAFETY: element `i` for `i < n` only; `n` is the number of elements of all the tensors, whose sizes are the same.
    unsafe extern "CUDA" in source("scale.cu") options ["--define-macro=EACH=1"] {
        safe fn scale<T: ["float", "double", "__half", "__nv_bfloat16"]>(
            x: InView, y: OutView, n: i64, factor: f32
        );
    }
    // SAFETY: as above.
    unsafe extern "CUDA" in source("scale.cu") {
        safe fn add(x: In<f32>, y: In<f32>, z: Out<f32>, n: i64) where EACH: ["1", "4"];
    }
    // SAFETY: as above.
    unsafe extern "CUDA" in source("scale.cu") options ["--define-macro=EACH=1", "--use_fast_math"] {
        safe fn weigh(weights: [f32; 3], y: Out<f32>, n: i32, more: [i16; 5]);
    }
    // SAFETY: as above.
    unsafe extern "CUDA" in cubin("thrice.sm_90.cubin") {
        safe fn thrice(x: In<f32>, y: Out<f32>, n: i32);
    }
    // SAFETY: as above.
    unsafe extern "CUDA" in ptx("twice.ptx") {
        safe fn twice(x: In<f32>, y: Out<f32>, n: i32);
    }
}

fn scaled(x: &Tensor, factor: f64) -> Result<Tensor> {
    let mut y = x.empty_like()?;
    scale_into(x, &mut y, factor)?;
    Ok(y)
}

fn scale_into(x: &Tensor, y: &mut Tensor, factor: f64) -> Result<()> {
    let ty = match x.dtype()? {
        DType::Float32 => "float",
        DType::Float64 => "double",
        DType::Float16 => "__half",
        DType::BFloat16 => "__nv_bfloat16",
        other => return Err(Error::type_error(format!("expected a floating dtype, found {other}"))),
    };
    let n = x.numel()?;
    scale.launch([ty], Grid::covering(n, 1, 256)?, (x, y, n, factor as f32))
}

/// `x * factor`.
#[torch_op(schema = "test_ops::cuda_scale(Tensor x, float factor) -> Tensor", cuda)]
pub fn cuda_scale(x: &Tensor, factor: f64) -> Result<Tensor> {
    scaled(x, factor)
}

#[torch_op(fake_of = cuda_scale)]
fn cuda_scale_fake(x: &FakeTensor, factor: f64) -> Result<FakeTensor> {
    let _ = factor;
    x.empty_like()
}

#[torch_op(backward_of = cuda_scale)]
fn cuda_scale_backward(grad_output: &Tensor, factor: f64) -> Result<Tensor> {
    cuda_scale(grad_output, factor)
}

/// The same from a key without a device guard.
#[torch_op(schema = "test_ops::cuda_scale_composite(Tensor x, float factor) -> Tensor", composite_explicit)]
fn cuda_scale_composite(x: &Tensor, factor: f64) -> Result<Tensor> {
    scaled(x, factor)
}

/// The same on another stream.
#[torch_op(schema = "test_ops::cuda_scale_on(Tensor x, float factor, Stream stream) -> Tensor", cuda)]
fn cuda_scale_on(x: &Tensor, factor: f64, stream: Stream) -> Result<Tensor> {
    cuda::record_stream(x, stream)?;
    cuda::on_stream(stream, || scaled(x, factor))
}

/// Scaled twice, by way of scratch memory.
#[torch_op(schema = "test_ops::cuda_scale_twice(Tensor x, float factor) -> Tensor", cuda)]
fn cuda_scale_twice(x: &Tensor, factor: f64) -> Result<Tensor> {
    let mut scratch = cuda::scratch(x, x.dtype()?, &x.sizes()?)?;
    scale_into(x, &mut scratch, factor)?;
    scaled(&scratch, factor)
}

#[torch_op(schema = "test_ops::cuda_scale_(Tensor(a!) x, float factor) -> ()", cuda)]
fn cuda_scale_(x: &mut Tensor, factor: f64) -> Result<()> {
    let read = x.clone();
    scale_into(&read, x, factor)
}

#[torch_op(schema = "test_ops::cuda_add(Tensor x, Tensor y, str each='4') -> Tensor", cuda)]
fn cuda_add(x: &Tensor, y: &Tensor, each: &str) -> Result<Tensor> {
    let (mut z, n) = (x.empty_like()?, x.numel()?);
    let threads = if each == "4" { 4 } else { 1 };
    add.launch([each], Grid::covering(n, threads, 128)?, (x, y, &mut z, n))?;
    Ok(z)
}

/// 1 + 2 + 3 and 1 + 2 + 3 + 4 + 5 everywhere.
#[torch_op(schema = "test_ops::cuda_weigh(Tensor x) -> Tensor", cuda)]
fn cuda_weigh(x: &Tensor) -> Result<Tensor> {
    let (mut y, n) = (x.empty_like()?, x.numel()?);
    weigh.launch([], Grid::covering(n, 1, 64)?, ([1.0, 2.0, 3.0], &mut y, n as i32, [1, 2, 3, 4, 5]))?;
    Ok(y)
}

#[torch_op(schema = "test_ops::cuda_twice(Tensor x) -> Tensor", cuda)]
fn cuda_twice(x: &Tensor) -> Result<Tensor> {
    let (mut y, n) = (x.empty_like()?, x.numel()?);
    twice.launch([], Grid::covering(n, 1, 64)?, (x, &mut y, n as i32))?;
    Ok(y)
}

/// Machine code of one architecture.
#[torch_op(schema = "test_ops::cuda_thrice(Tensor x) -> Tensor", cuda)]
fn cuda_thrice(x: &Tensor) -> Result<Tensor> {
    let (mut y, n) = (x.empty_like()?, x.numel()?);
    thrice.launch([], Grid::covering(n, 1, 64)?, (x, &mut y, n as i32))?;
    Ok(y)
}

static EMPTY: TorchOp = TorchOp::new("aten::empty", "memory_format");

/// An empty tensor on the current device.
fn on_current() -> Result<Tensor> {
    let device = Device { kind: DeviceType::Cuda, index: None };
    EMPTY.call::<Tensor>((
        &[0_i64][..],
        None::<DType>,
        None::<Layout>,
        Some(device),
        None::<bool>,
        None::<MemoryFormat>,
    ))
}

/// Says by its result's device which device is current in a kernel; or fails or panics after that.
#[torch_op(schema = "test_ops::cuda_current(Tensor[] xs, str end) -> Tensor", cuda)]
#[allow(clippy::panic)]
fn cuda_current(xs: &[Tensor], end: &str) -> Result<Tensor> {
    let (_, here) = (xs, on_current()?);
    match end {
        "error" => Err(Error::value(format!("on {}", here.device()?))),
        "panic" => panic!("on {}", here.device()?),
        _ => Ok(here),
    }
}

/// Compiles all kernels of this library.
#[torch_op(schema = "test_ops::cuda_compile_all(str[] archs) -> int", composite_explicit)]
fn cuda_compile_all(archs: &[&str]) -> Result<i64> {
    Ok(cuda::compile_all(archs)? as i64)
}

#[torch_op(schema = "test_ops::cuda_nvrtc_version() -> (int, int)", composite_explicit)]
fn cuda_nvrtc_version() -> Result<(i64, i64)> {
    let (major, minor) = cuda::nvrtc_version()?;
    Ok((major.into(), minor.into()))
}

torchop::cuda_kernels! {
    // SAFETY: it touches no memory.
    unsafe extern "CUDA" in inline("__global__ void nothing() {}") {
        safe fn nothing();
    }
}

/// A launch on the current device, whatever that is.
#[torch_op(schema = "test_ops::cuda_nothing() -> ()", composite_explicit)]
fn cuda_nothing() -> Result<()> {
    nothing.launch([], Grid::new([1; 3], [32, 1, 1]), ())
}
