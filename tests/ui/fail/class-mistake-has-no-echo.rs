#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, flaten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[init]
    fn new(start: i64) -> Self {
        Counter { start }
    }

    fn forward(&self, x: &Tensor, n: i64) -> Result<Tensor> {
        todo!("{x:?} {n}")
    }

    #[fake(forward)]
    fn g(&self, x: &FakeTensor, n: i64) -> Result<FakeTensor> {
        todo!()
    }
}

fn main() {}
