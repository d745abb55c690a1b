#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchTuple)]
struct Window {
    size: i64,
    stride: usize,
}

fn main() {}
