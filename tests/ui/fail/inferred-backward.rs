#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor, alpha: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(backward_of = f)]
fn f_backward(grad_output0: &Tensor, output1: i64, needs_grad_alpha: bool) -> Result<(Tensor, Tensor)> {
    todo!()
}

fn main() {}
