#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: Tensor, n: i32) -> Result<Tensor> {
    todo!()
}

fn main() {}
