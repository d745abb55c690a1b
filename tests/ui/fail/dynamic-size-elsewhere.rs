#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(kernel_of = f, cuda)]
fn f_cuda(x: &Tensor, ys: &[Tensor], a: f64, #[torch(dynamic)] rows: i64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(name = "my_ops::g", cpu)]
fn g(#[torch(dynamic)] rows: i64) -> i64 {
    todo!()
}

fn main() {}
