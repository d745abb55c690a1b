#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", cpu)]
fn f(x: &Tensor, n: i64, #[torch(int)] k: i64) -> Result<i64> {
    todo!()
}

#[torch_op(fake_of = f)]
fn f_fake(x: &FakeTensor, n: i64, k: SymInt) -> Result<i64> {
    todo!()
}

fn main() {}
