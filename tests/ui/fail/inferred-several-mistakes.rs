#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "aten::f", cpuu)]
fn f(x: &Tensor, #[torch(defualt = 1)] n: i64, #[torch(default = 'c')] m: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = f, cuda)]
fn f_cuda(x: &Tensor, n: i64, m: i64) -> Result<Tensor> {
    todo!()
}

fn main() {}
