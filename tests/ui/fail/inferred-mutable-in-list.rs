#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(xs: Vec<&mut Tensor>) -> Result<()> {
    todo!()
}

fn main() {}
