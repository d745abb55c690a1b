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

    fn __length__(&self) -> i64 {
        0
    }

    fn __hash__(&self) -> i64 {
        0
    }

    fn __iter__(&self) -> i64 {
        0
    }

    fn __getitem__(&self) -> i64 {
        0
    }

    fn __lenn__(&self) -> i64 {
        0
    }
}

fn main() {}
