#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[method(fake = like(n))]
    fn a(&self, x: &Tensor, n: i64) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(fake = like(x))]
    fn b(&self, x: &Tensor) -> i64 {
        1
    }
}

fn main() {}
