#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor[] xs) -> Tensor", cpu)]
fn f(xs: List<'_, Tensor>) -> Result<Tensor> {
    todo!()
}

fn main() {}
