#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(backward_of = f, name = "my_ops::f_backward")]
fn f_backward(grad_output0: &Tensor, ys: &[Tensor]) -> Result<(Tensor, Vec<Tensor>)> {
    todo!()
}

fn main() {}
