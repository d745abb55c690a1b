torchop::cuda_kernels! {
    extern "CUDA" in inline("") {
        safe fn scale(x: torchop::cuda::In);
    }
}

fn main() {}
