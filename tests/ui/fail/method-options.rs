#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[method]
    fn a(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(fake = like(y))]
    fn b(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(fake = same(x), composite)]
    fn c(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(fake = like(x), composite)]
    fn d(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[method(compsite)]
    fn e(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }
}

fn main() {}
