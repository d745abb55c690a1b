#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchTuple)]
struct Window {
    size: i64,
    stride: i64,
}

#[torch_op(schema = "my_ops::f((int, int, int) window) -> ()", composite_explicit)]
fn f(window: Window) {}

fn main() {}
