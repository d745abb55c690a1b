#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &FakeTensor) -> Result<FakeTensor> {
    todo!()
}

fn main() {}
