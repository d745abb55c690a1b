#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
fn scale(x: &Tensor, beta: f64) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = scale, cuda)]
fn scale_cuda(x: &Tensor, alpha: f64) -> Result<Tensor> {
    scale(x, alpha)
}

#[torch_op(fake_of = scale)]
fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = scale)]
fn scale_backward(grad_output: &Tensor, alpha: f64, output: &Tensor) -> Result<Tensor> {
    scale::kernel(grad_output, alpha)
}

fn main() {}
