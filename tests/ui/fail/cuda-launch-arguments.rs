use torchop::cuda::{Grid, In, Out};
use torchop::prelude::*;

torchop::cuda_kernels! {
    unsafe extern "CUDA" in inline("") {
        safe fn scale<T: ["float"]>(x: In, y: Out, n: i64);
    }
}

fn read_only(x: &Tensor, y: &Tensor) -> Result<()> {
    scale.launch(["float"], Grid::covering(1, 1, 1)?, (x, y, 1))
}

fn no_choice(x: &Tensor, y: &mut Tensor) -> Result<()> {
    scale.launch([], Grid::covering(1, 1, 1)?, (x, y, 1))
}

fn main() {}
