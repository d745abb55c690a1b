#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(int n, Device? device=None) -> Tensor", cpu)]
fn f(n: i64, device: Option<Device>) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::g", composite_explicit)]
fn g(n: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = g, cuda)]
fn g_cuda(n: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::h(Tensor[] xs) -> Tensor", cpu)]
fn h(xs: List<'_, &Tensor>) -> Result<Tensor> {
    todo!()
}

fn main() {}
