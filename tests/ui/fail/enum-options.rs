#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
#[torch(name = "mode")]
enum Mode {
    #[torch(nmae = "mean")]
    Mean,
    #[torch]
    Sum,
}

fn main() {}
