#![allow(unused_variables)]

use torchop::prelude::*;

fn g() {}

#[torch_op(kernel_of = g, cuda)]
fn g_cuda(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
