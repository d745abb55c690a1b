#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[getstate]
    fn state(&self) -> (i64, f64) {
        (self.start, 1.0)
    }

    #[setstate]
    fn from_state(start: i64, scale: i64) -> Self {
        Counter { start }
    }

    #[flatten]
    fn flat(&self) -> i64 {
        self.start
    }

    #[unflatten]
    fn unflat(start: i64, more: i64) -> Self {
        Counter { start }
    }
}

fn main() {}
