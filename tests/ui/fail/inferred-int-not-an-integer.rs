#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", composite_explicit)]
fn f(#[torch(int)] alpha: f64) -> Result<()> {
    todo!()
}

fn main() {}
