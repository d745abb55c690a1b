#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
enum Mode {
    Mean,
    Scaled(f64),
    Both { a: i64 },
}

fn main() {}
