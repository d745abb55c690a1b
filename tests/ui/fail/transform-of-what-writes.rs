#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Tensor[] ys, float a) -> (Tensor, Tensor)", cpu)]
fn f(x: &Tensor, ys: &[Tensor], a: f64) -> Result<(Tensor, Tensor)> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor(a!) x) -> ()", cpu)]
fn g(x: &mut Tensor) -> Result<()> {
    todo!()
}

#[torch_op(jvp_of = g)]
fn g_jvp(tangent_x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(batch_of = g)]
fn g_batch(is_batched_x: bool) -> Result<()> {
    todo!()
}

fn main() {}
