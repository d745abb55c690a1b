#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[method(composite)]
    fn a(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(fake = like(x))]
    fn b(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }
}

fn main() {}
