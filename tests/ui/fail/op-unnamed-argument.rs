#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu)]
fn f(_: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
