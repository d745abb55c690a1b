#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "f", cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::g(Tensor x) -> Tensor", cpu)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::h", schema = "my_ops::h(Tensor x) -> Tensor", cpu)]
fn h(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::k")]
fn k(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
