#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu, sharding = pointwise)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = f, cuda, sharding = pointwise)]
fn f_cuda(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(backward_of = f, sharding = pointwise)]
fn f_backward(grad_output: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "other::g(Tensor x) -> Tensor", foreign, cuda, sharding = pointwise)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
