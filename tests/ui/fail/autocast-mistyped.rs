#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x) -> Tensor", cpu, autocast(gpu = bf16, cpu = bf61, cuda))]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::h(Tensor x) -> Tensor", cpu, autocast)]
fn h(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::i(Tensor x) -> Tensor", cpu, autocast())]
fn i(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
