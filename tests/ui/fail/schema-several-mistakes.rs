#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensr x, int32 n, float a='x', float b=None) -> (Tensor, void)", cpu)]
fn f(x: &Tensor, n: i64, a: f64, b: f64) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x, float a='x', float b=None) -> Tensor", cpu)]
fn g(x: &Tensor, a: f64, b: f64) -> Result<Tensor> {
    todo!()
}

fn main() {}
