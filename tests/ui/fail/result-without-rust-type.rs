#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x) -> (Dict(float, int), __torch__.torch.classes.my_ops.Counter)", cpu)]
fn f(x: &Tensor) -> Result<()> {
    todo!()
}

fn main() {}
