#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[getstate]
    fn state() -> i64 {
        1
    }

    #[setstate]
    fn from_state(&self, start: i64) -> Self {
        Counter { start }
    }

    #[flatten]
    fn flat(&self, more: i64) -> i64 {
        self.start
    }

    #[unflatten]
    fn unflat(start: i64) -> i64 {
        start
    }
}

fn main() {}
