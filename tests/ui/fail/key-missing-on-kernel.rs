#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> {
    todo!("{x:?} {alpha}")
}

#[torch_op(kernel_of = scale)]
fn scale_cuda(x: &Tensor, alpha: f64) -> Result<Tensor> {
    todo!()
}

fn main() {}
