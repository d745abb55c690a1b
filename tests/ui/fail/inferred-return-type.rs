#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor) -> Result<u8> {
    todo!()
}

fn main() {}
