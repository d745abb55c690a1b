#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, int[2] size=[1, 2, 3], bool[2] flags=[True]) -> Tensor", cpu)]
fn f(x: &Tensor, size: List<'_, i64>, flags: &[bool]) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x, SymInt[2] stride=[], float[] scales=[1., 2.]) -> Tensor", cpu)]
fn g(x: &Tensor, stride: [i64; 2], scales: [f64; 3]) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::h", cpu)]
fn h(x: &Tensor, #[torch(default = [true])] flags: [bool; 2], #[torch(default = [0.5])] s: [f64; 3]) -> Result<Tensor> {
    todo!()
}

fn main() {}
