#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    fn forward(&self, x: &Tensor, n: i64) -> Result<Tensor> {
        todo!("{x:?} {n}")
    }

    #[fake(forwrd)]
    fn g(&self, x: &FakeTensor, n: i64) -> Result<FakeTensor> {
        todo!()
    }
}

fn main() {}
