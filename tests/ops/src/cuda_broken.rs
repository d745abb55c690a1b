//! CUDA kernels that cannot work, each in its own way.

use torchop::cuda::{Grid, In, InView, Out};
use torchop::prelude::*;

const FINE: &str = r#"
__global__ void fine(float* y, long long n) { if (threadIdx.x < n) y[threadIdx.x] = 7; }
"#;

torchop::cuda_kernels! {
    // SAFETY: none of these ever runs, but `fine`, which keeps below `n`, and `trap`, which touches nothing.
    unsafe extern "CUDA" in inline(FINE) {
        safe fn fine(y: Out, n: i64);
    }
    unsafe extern "CUDA" in source("broken.cu") {
        safe fn misspelt(x: InView, y: Out);
    }
    unsafe extern "CUDA" in inline("#include <no_such_header.h>\n__global__ void headless() {}") {
        safe fn headless();
    }
    unsafe extern "CUDA" in inline(FINE) options ["--gpu-architecture=sm_999"] {
        safe fn fine_(y: Out, n: i64);
    }
    unsafe extern "CUDA" in inline("__global__ void narrow(float* y, int n) {}") {
        safe fn narrow(y: Out, n: i64);
    }
    unsafe extern "CUDA" in inline("__global__ void trap(float* y) { __trap(); }") {
        safe fn trap(y: Out);
    }
    unsafe extern "CUDA" in inline("__global__ void few(float* y) {}") {
        safe fn few(y: Out, n: i64);
    }
    unsafe extern "CUDA" in ptx(bytes(b".version 8.0\n.target sm_50\n.address_size 64\n.entry bad() { no.such.instruction; }")) {
        safe fn bad();
    }
    unsafe extern "CUDA" in ptx(bytes(b".version 6.0\n.target sm_999\n.address_size 64\n.entry future() { ret; }")) {
        safe fn future();
    }
    unsafe extern "CUDA" in cubin(bytes(b"no machine code at all")) {
        safe fn garbage(x: In);
    }
    unsafe extern "CUDA" in ptx("twice.ptx") {
        safe fn no_such_kernel(x: In, y: Out, n: i32);
    }
}

/// Launches the kernel of that name on `x`.
#[torch_op(schema = "test_ops::cuda_broken(Tensor x, str kernel) -> Tensor", cuda)]
fn cuda_broken(x: &Tensor, kernel: &str) -> Result<Tensor> {
    let (mut y, one) = (x.empty_like()?, Grid::new([1; 3], [1; 3]));
    match kernel {
        "misspelt" => misspelt.launch([], one, (x, &mut y))?,
        "headless" => headless.launch([], one, ())?,
        "arch" => fine_.launch([], one, (&mut y, 1))?,
        "narrow" => narrow.launch([], one, (&mut y, 1))?,
        "trap" => trap.launch([], one, (&mut y,))?,
        "few" => few.launch([], one, (&mut y, 1))?,
        "bad" => bad.launch([], one, ())?,
        "future" => future.launch([], one, ())?,
        "garbage" => garbage.launch([], one, (x,))?,
        "no such kernel" => no_such_kernel.launch([], one, (x, &mut y, 1))?,
        "threads" => fine.launch([], Grid::new([1; 3], [64, 64, 1]), (&mut y, 1))?,
        "no threads" => fine.launch([], Grid::new([1; 3], [0, 1, 1]), (&mut y, 1))?,
        "shared" => fine.launch([], one.shared_bytes(10 << 20), (&mut y, 1))?,
        "blocks" => fine.launch([], Grid::new([1, 1 << 20, 1], [1; 3]), (&mut y, 1))?,
        "fine" => fine.launch([], Grid::covering(x.numel()?, 1, 1024)?, (&mut y, x.numel()?))?,
        other => return Err(Error::value(format!("no kernel {other}"))),
    }
    Ok(y)
}
