#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu, cdua)]
fn f(x: &Tensor, y: f64) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensr x) -> Tensor", cpu)]
async fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
