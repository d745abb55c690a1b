#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
struct Mode;

#[derive(TorchTuple)]
enum Window {
    Small,
}

fn main() {}
