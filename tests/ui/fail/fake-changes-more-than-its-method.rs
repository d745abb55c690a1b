#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[init]
    fn new(start: i64) -> Self {
        Counter { start }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    #[fake(forward)]
    fn forward_fake(&mut self, x: &FakeTensor) -> Result<FakeTensor> {
        self.start += 1;
        x.empty_like()
    }
}

fn main() {}
