#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu, sharding = rowwise)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x) -> Tensor", cpu, sharding)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
