#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu, sharding = pointwise)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
