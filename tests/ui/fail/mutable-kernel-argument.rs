#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!) x, Tensor y) -> ()", cpu)]
fn fill(x: &mut Tensor, y: &Tensor) -> Result<()> {
    todo!()
}

#[torch_op(kernel_of = fill, cuda)]
fn fill_cuda(x: &Tensor, y: &mut Tensor) -> Result<()> {
    todo!()
}

fn main() {}
