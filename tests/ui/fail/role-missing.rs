#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
