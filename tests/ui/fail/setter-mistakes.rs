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

    #[setter]
    fn start(&mut self, value: i64) {}

    #[setter]
    fn set_start(&mut self) {}

    #[setter]
    fn set_other(value: i64) {}

    #[setter = "x"]
    fn set_x(&mut self, value: i64) {}
}

fn main() {}
