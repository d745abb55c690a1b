#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(Tensor x, Tensor? y, float value) -> ()", cpu)]
fn fill(x: &mut Tensor, y: Option<&mut Tensor>, value: f64) -> Result<()> {
    todo!()
}

fn main() {}
