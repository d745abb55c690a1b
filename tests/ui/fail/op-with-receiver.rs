#![allow(unused_variables)]

use torchop::prelude::*;

struct S;

impl S {
    #[torch_op(schema = "my_ops::f(Tensor x) -> Tensor", cpu)]
    fn f(&self, x: &Tensor) -> Result<Tensor> {
        todo!()
    }
}

fn main() {}
