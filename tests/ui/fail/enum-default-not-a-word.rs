#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchEnum)]
enum Mode {
    Mean,
    Sum,
}

#[torch_op(schema = "my_ops::f(Tensor x, str mode='maen') -> ()", cpu)]
fn f(x: &Tensor, mode: Mode) {}

#[torch_op(name = "my_ops::g", cpu)]
fn g(x: &Tensor, #[torch(default = "smu")] mode: Option<Mode>) {}

fn main() {}
