#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::a(Tensor x, int n) -> Tensor", cpu, fake = like(y))]
fn a(x: &Tensor, n: i64) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(schema = "my_ops::b(Tensor x, int n) -> Tensor", cpu, fake = empty(x))]
fn b(x: &Tensor, n: i64) -> Result<Tensor> {
    x.deep_clone()
}

fn main() {}
