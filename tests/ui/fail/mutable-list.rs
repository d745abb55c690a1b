#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor[](a!) xs, Tensor(b!)[] ys, Tensor(b!)[] zs, int(c!)[] ks) -> ()", cpu)]
fn f(xs: &mut [Tensor], ys: &mut [Tensor], zs: &mut [Tensor], ks: Vec<i64>) -> Result<()> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor(a!)[]? xs) -> ()", cpu)]
fn g(xs: Option<&mut [Tensor]>) -> Result<()> {
    todo!()
}

#[torch_op(schema = "my_ops::h(Tensor(a!)[] xs) -> ()", cpu)]
fn h(xs: Vec<&Tensor>) -> Result<()> {
    todo!()
}

fn main() {}
