#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x) -> Tensor", cpu)]
#[torch_op(kernel_of = f, cuda)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
