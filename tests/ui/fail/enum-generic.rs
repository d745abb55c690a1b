#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
enum Mode<T> {
    Mean,
}

#[derive(TorchEnum)]
enum Nothing {}

fn main() {}
