#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor weight) -> Tensor", cpu)]
fn f(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(backward_of = f, gradients(x))]
fn f_backward(grad_output: &Tensor, needs_grad_z: bool, needs_grad_wieght: bool) -> Result<Tensor> {
    todo!()
}

fn main() {}
