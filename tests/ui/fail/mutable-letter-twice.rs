#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::swap(Tensor(a!) x, Tensor(a!) y) -> ()", cpu)]
fn swap(x: &mut Tensor, y: &mut Tensor) -> Result<()> {
    todo!()
}

fn main() {}
