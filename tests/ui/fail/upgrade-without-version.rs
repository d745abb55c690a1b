#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, version = "2")]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[upgrade]
    fn older(start: i64) -> Self {
        Counter { start }
    }

    #[upgrade(0)]
    fn oldest(start: i64) -> Self {
        Counter { start }
    }

    #[upgrade(1)]
    fn old(start: i64) -> i64 {
        start
    }
}

fn main() {}
