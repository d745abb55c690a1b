#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
enum Mode {
    Mean,
    #[torch(name = "mean")]
    Average,
}

fn main() {}
