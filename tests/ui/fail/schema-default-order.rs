#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(int a=1, int b) -> ()", cpu)]
fn f(a: i64, b: i64) -> Result<()> {
    todo!()
}

fn main() {}
