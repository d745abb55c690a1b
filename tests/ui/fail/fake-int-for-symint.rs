#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::resize(Tensor x, SymInt n, int k) -> Tensor", cpu)]
fn resize(x: &Tensor, n: i64, k: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(fake_of = resize)]
fn resize_fake(x: &FakeTensor, n: i64, k: i64) -> Result<FakeTensor> {
    todo!()
}

fn main() {}
