#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor, n: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = f, cuda)]
fn f_cuda(x: &mut Tensor, n: f64) -> Result<Vec<Tensor>> {
    todo!()
}

fn main() {}
