torchop::cuda_kernels! {
    unsafe extern "CUDA" in inline("") {
        safe fn scale(x: torchop::cuda::In<String>);
    }
}

fn main() {}
