#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, Any device) -> Tensor", cpu)]
fn f(x: &Tensor, device: i64) -> Result<Tensor> {
    todo!()
}

fn main() {}
