#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu)]
fn f(x: &Tensor) -> Result<Tensor>
where
    Tensor: Sized,
{
    todo!()
}

fn main() {}
