#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!)[] xs) -> ()", cpu)]
fn fill(xs: Vec<&mut Tensor>) -> Result<()> {
    todo!()
}

fn main() {}
