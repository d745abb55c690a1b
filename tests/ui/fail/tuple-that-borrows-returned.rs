#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchTuple)]
struct Scaled<'a>(&'a Tensor, f64);

#[torch_op(schema = "my_ops::f((Tensor, float) x) -> ((Tensor, float))", composite_explicit)]
fn f(x: Scaled<'_>) -> Result<Scaled<'static>> {
    todo!()
}

fn main() {}
