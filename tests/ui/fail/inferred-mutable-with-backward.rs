#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::fill", cpu)]
fn fill(x: &mut Tensor) -> Result<()> {
    todo!()
}

#[torch_op(backward_of = fill)]
fn fill_backward(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
