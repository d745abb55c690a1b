#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
fn scale(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
