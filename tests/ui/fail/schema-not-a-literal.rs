#![allow(unused_variables)]

use torchop::prelude::*;

const SCHEMA: &str = "my_ops::f(Tensor x) -> Tensor";

#[torch_op(schema = SCHEMA, cpu)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = concat!("my_ops::", "g(Tensor x) -> Tensor"), cpu)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = concat!("my_ops::", "h"), cpu)]
fn h(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
