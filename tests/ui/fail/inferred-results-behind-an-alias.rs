#![allow(unused_variables)]

use torchop::prelude::*;

type Pair = (Tensor, Tensor);

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor) -> Result<Pair> {
    todo!()
}

fn main() {}
