//! A CUDA kernel that goes through shared memory, in an operator of Rust.
//!
//! ```python
//! torch.ops.load_library("target/release/libto_contiguous_ops.so")
//! y = torch.ops.my_cuda_ops.to_contiguous(x.t())
//! ```

#![forbid(unsafe_code)]

use torchop::cuda::{Geometry, Grid, In, Out};
use torchop::prelude::*;

static CLONE: TorchOp = TorchOp::new("aten::clone", "");
const TILE: i64 = 32;
const ROWS: u32 = 8;

torchop::cuda_kernels! {
    // SAFETY: a thread reads and writes at `i` and `j` below `sizes`, in the matrices that `from` and `to` place: the dimensions
    // of the two tensors, whose sizes are the same.
    unsafe extern "CUDA" in source("transpose.cu") {
        safe fn transpose<T: ["unsigned char", "unsigned short", "unsigned int", "uint2", "uint4"]>(
            input: In, output: Out, from: Geometry, to: Geometry, sizes: [i64; 2], input_stride: i64, output_stride: i64
        );
    }
}

/// A copy of `x` with memory of its own, in row-major order.
#[torch_op(schema = "my_cuda_ops::to_contiguous(Tensor x) -> Tensor", cpu)]
fn to_contiguous(x: &Tensor) -> Result<Tensor> {
    CLONE.call::<Tensor>((x, Some(MemoryFormat::Contiguous)))
}

#[torch_op(kernel_of = to_contiguous, cuda)]
fn to_contiguous_cuda(x: &Tensor) -> Result<Tensor> {
    let (sizes, strides) = (x.sizes()?, x.strides()?);
    let Some(last) = sizes.len().checked_sub(1) else { return to_contiguous::kernel(x) };
    // The dimension along the input's memory, if that is another one than the output's.
    let along = (0..last).find(|&dim| strides[dim] == 1 && sizes[dim] > 1);
    let (Some(along), true) = (along, strides[last] != 1 && sizes.len() <= 10 && !sizes.contains(&0)) else {
        return to_contiguous::kernel(x);
    };

    let mut contiguous = vec![1; sizes.len()];
    for dim in (0..last).rev() {
        contiguous[dim] = contiguous[dim + 1] * sizes[dim + 1];
    }
    let mut output = x.new_empty_strided(&sizes, &contiguous)?;
    let others = |of: &[i64]| -> Vec<i64> { (0..last).filter(|&dim| dim != along).map(|dim| of[dim]).collect() };
    let (from, to) = (others(&strides), others(&contiguous));
    let (from, to) = (Geometry::new(&others(&sizes), &from)?, Geometry::new(&others(&sizes), &to)?);

    let tiles = |size: i64| (size + TILE - 1) / TILE;
    let blocks = tiles(sizes[along]) * tiles(sizes[last]) * from.numel();
    let blocks =
        i32::try_from(blocks).map_err(|_| Error::value(format!("{blocks} tiles, a launch has at most 2^31 - 1")))?;
    let grid = Grid::new([blocks as u32, 1, 1], [TILE as u32, ROWS, 1]);
    let word = ["unsigned char", "unsigned short", "unsigned int", "uint2", "uint4"][x.item_size()?.ilog2() as usize];
    let (pair, input_stride, output_stride) = ([sizes[along], sizes[last]], strides[last], contiguous[along]);
    transpose.launch([word], grid, (x, &mut output, from, to, pair, input_stride, output_stride))?;
    Ok(output)
}

#[torch_op(fake_of = to_contiguous)]
fn to_contiguous_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.new_empty(&x.sym_sizes()?)
}

#[torch_op(backward_of = to_contiguous)]
fn to_contiguous_backward(grad_output: &Tensor) -> Result<Tensor> {
    to_contiguous(grad_output)
}

#[cfg(test)]
mod tests {
    use torchop::cuda;

    /// Needs no GPU, but NVRTC, which comes with torch for CUDA; `TORCHOP_NO_NVRTC=1` for a torch without.
    #[test]
    fn kernels_compile() {
        if std::env::var_os("TORCHOP_NO_NVRTC").is_none() {
            assert_eq!(cuda::compile_all(&["sm_80", "sm_90", "newest"]).unwrap(), 15);
        }
    }
}
