#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor, #[torch(default = 1)] n: i64, alpha: f64) -> Result<()> {
    todo!()
}

fn main() {}
