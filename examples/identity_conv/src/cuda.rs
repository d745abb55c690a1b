//! The operator on CUDA: one kernel for every dtype and layout.

use crate::identity_conv_op;
use torchop::cuda::{Geometry, Grid, In, Out};
use torchop::prelude::*;

torchop::cuda_kernels! {
    // SAFETY: a thread touches words of `words` with an index below `count`, and `tail` bytes after that many. The one launch
    // passes places of the input's elements, or all bytes between them, and an output of the same sizes and strides.
    unsafe extern "CUDA" in source("identity_conv.cu") {
        safe fn copy<
            Word: ["unsigned char", "unsigned short", "unsigned int", "uint2", "uint4"],
            Index: ["unsigned int", "long long"],
            FLAT: ["false", "true"]
        >(input: In, output: Out, words: Geometry, count: i64, tail: i32);
    }
}

#[torch_op(kernel_of = identity_conv_op, cuda)]
fn identity_conv_cuda(input: &Tensor) -> Result<Tensor> {
    let (sizes, strides, item) = (input.sizes()?, input.strides()?, input.item_size()?);
    let mut output = input.new_empty_strided(&sizes, &strides)?;
    let alignment = input.alignment()?.min(output.alignment()?);

    let (words, size, tail, flat) = match Geometry::bytes(&sizes, &strides, item) {
        Some(bytes) if has_wide_gaps(&bytes) => {
            let size = bytes.word(alignment);
            (bytes.in_words(size), size, 0, "false")
        }
        // All the memory from the first to the last element, as it lies.
        _ => {
            let (size, span) = (alignment.min(16), input.span()? * item as i64);
            (Geometry::flat(span / size), size, (span % size) as i32, "true")
        }
    };
    let word = ["unsigned char", "unsigned short", "unsigned int", "uint2", "uint4"][size.ilog2() as usize];
    let index = if words.span() < 1 << 31 { "unsigned int" } else { "long long" };
    // One block at least, for the tail.
    let grid = Grid::covering(words.numel().max(i64::from(tail)), 16 / size as u32, 256)?;
    copy.launch([word, index, flat], grid, (input, &mut output, words, words.numel(), tail))?;
    Ok(output)
}

/// Whether more memory lies between the elements than the card reads and writes anyway, 64 bytes at a time.
fn has_wide_gaps(bytes: &Geometry) -> bool {
    const ACCESS: i64 = 64;
    bytes.span() > bytes.numel() / bytes.run().max(1) * bytes.run().max(ACCESS)
}

#[cfg(test)]
mod tests {
    use torchop::cuda;

    /// Needs no GPU, but NVRTC, which comes with torch for CUDA; `TORCHOP_NO_NVRTC=1` for a torch without.
    #[test]
    fn kernels_compile() {
        if std::env::var_os("TORCHOP_NO_NVRTC").is_none() {
            assert_eq!(cuda::compile_all(&["sm_80", "sm_90", "newest"]).unwrap(), 60);
        }
    }
}
