#![allow(unused_variables)]

use torchop::prelude::*;

struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[init]
    fn new(start: i64) -> Self {
        Counter { start }
    }
}

fn main() {}
