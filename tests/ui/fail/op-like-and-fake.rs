#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::a(Tensor x) -> Tensor", cpu, fake = like(x))]
fn a(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(fake_of = a)]
fn a_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

fn main() {}
