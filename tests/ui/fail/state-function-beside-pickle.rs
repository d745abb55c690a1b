#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[getstate]
    fn state(&self) -> i64 {
        self.start
    }

    #[setstate]
    fn from_state(start: i64) -> Self {
        Counter { start }
    }
}

fn main() {}
