#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[getstate]
    fn state(&self) -> i64 {
        self.start
    }

    #[unflatten]
    fn unflat(start: i64) -> Self {
        Counter { start }
    }
}

fn main() {}
