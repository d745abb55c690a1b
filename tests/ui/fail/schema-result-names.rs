#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> (Tensor a, Tensor b, Tensor a)", cpu)]
fn f(x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    todo!()
}

fn main() {}
