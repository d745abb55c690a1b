#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::fill(int(a!) n) -> ()", cpu)]
fn fill(n: i64) -> Result<()> {
    todo!()
}

fn main() {}
