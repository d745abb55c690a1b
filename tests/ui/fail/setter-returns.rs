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

    #[getter]
    fn other(&self) -> i64 {
        self.start
    }

    #[setter]
    fn set_other(&mut self, value: i64) -> i64 {
        value
    }
}

fn main() {}
