#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> (Tensor, int)", cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
