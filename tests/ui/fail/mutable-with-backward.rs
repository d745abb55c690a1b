#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!) x) -> ()", cpu)]
fn fill(x: &mut Tensor) -> Result<()> {
    todo!()
}

#[torch_op(backward_of = fill)]
fn fill_backward(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
