#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "aten::f(Tensor x) -> Tensor", cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
