#![allow(unused_variables)]

use torchop::prelude::*;

const N: i64 = 3;

#[torch_op(name = "my_ops::f", cpu)]
fn f(#[torch(default = N + 1)] n: i64, #[torch(default = i64::MAX)] m: i64, #[torch(default)] k: i64) -> Result<()> {
    todo!()
}

fn main() {}
