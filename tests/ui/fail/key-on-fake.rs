#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> {
    todo!("{x:?} {alpha}")
}

#[torch_op(fake_of = scale, cuda)]
fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> {
    todo!()
}

fn main() {}
