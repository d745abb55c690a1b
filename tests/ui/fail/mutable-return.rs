#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor(a!) x) -> Tensor(a!)", cpu)]
fn fill(x: &mut Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
