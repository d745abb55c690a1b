#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(fake_of = f)]
fn f_fake(x: &FakeTensor, ys: &[FakeTensor], a: f64, #[torch(dynamic)] rows: i64) -> Result<(FakeTensor, FakeTensor)> {
    todo!()
}

fn main() {}
