#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x) -> (Tensor y, Tensor index)", cpu, nondifferentiable(indx, x))]
fn g(x: &Tensor) -> Result<(Tensor, Tensor)> {
    todo!()
}

fn main() {}
