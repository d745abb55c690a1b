#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::bool(Tensor x) -> Tensor", cpu)]
fn bool(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
