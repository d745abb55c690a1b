// Kernels are declared and launched where `unsafe` is forbidden, under any names.
#![forbid(unsafe_code)]
#![no_implicit_prelude]
#![allow(dead_code)]

mod torchop_runtime {}
mod linkme {}
struct Location;

::torchop::cuda_kernels! {
    // SAFETY: nothing is touched.
    unsafe extern "CUDA" in inline("template <class T, int N> __global__ void nothing(T* x) {}") options ["--use_fast_math"] {
        /// Does nothing.
        pub(crate) safe fn nothing<T: ["float", "double"], N: ["1", "2"],>(x: ::torchop::cuda::Out<f32>,) where TILE: ["16"];
        safe fn empty();
    }
    unsafe extern "CUDA" in ptx(bytes(b"")) {
        safe fn other(sizes: [i64; 2], geometry: ::torchop::cuda::Geometry<3>);
    }
}

fn launch(x: &mut ::torchop::Tensor) -> ::torchop::Result<()> {
    let grid = ::torchop::cuda::Grid::new([1; 3], [1; 3]);
    nothing.launch(["float", "2", "16"], grid, (x,))?;
    empty.launch([], grid, ())
}

fn main() {}
