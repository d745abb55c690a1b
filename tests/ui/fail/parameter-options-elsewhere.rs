#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, int n) -> Tensor", cpu)]
fn f(x: &Tensor, #[torch(int)] n: i64) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = f, cuda)]
fn f_cuda(x: &Tensor, #[torch(default = 1)] n: i64) -> Result<Tensor> {
    todo!()
}

#[torch_class(name = "my_ops::Options", flatten)]
struct Options;

#[torch_class]
impl Options {
    #[init]
    fn new(#[torch(int)] n: i64) -> Self {
        Options
    }

    fn forward(&self, #[torch(default = 1)] n: i64) -> i64 {
        n
    }

    #[fake(forward)]
    fn forward_fake(&self, #[torch(default = 1)] n: i64) -> i64 {
        n
    }
}

fn main() {}
