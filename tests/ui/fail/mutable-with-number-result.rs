#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!) x) -> (Tensor, int, Tensor?)", cpu)]
fn fill(x: &mut Tensor) -> Result<(Tensor, i64, Option<Tensor>)> {
    todo!()
}

#[torch_op(name = "my_ops::pour", cpu)]
fn pour(x: &mut Tensor) -> Result<(Tensor, bool)> {
    todo!()
}

fn main() {}
