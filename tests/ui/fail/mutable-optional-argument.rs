#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!)? x) -> ()", cpu)]
fn fill(x: Option<&Tensor>) -> Result<()> {
    todo!()
}

fn main() {}
