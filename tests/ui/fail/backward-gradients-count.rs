#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> {
    todo!("{x:?} {alpha}")
}

#[torch_op(backward_of = scale, gradients(x))]
fn scale_backward(grad_output: &Tensor) -> Result<(Tensor, Tensor)> {
    todo!()
}

fn main() {}
