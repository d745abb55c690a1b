use torchop::TensorRef;
use torchop::prelude::*;

#[derive(Clone, Copy, TorchEnum)]
enum Mode {
    Fast,
    Exact,
}

impl TensorRef for Mode {}

fn main() {}
