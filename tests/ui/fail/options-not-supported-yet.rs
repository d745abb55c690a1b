#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu, autocast(float16), sharding = pointwise, nondifferentiable)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(jvp_of = f)]
fn f_jvp(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(batch_of = f)]
fn f_batch(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
