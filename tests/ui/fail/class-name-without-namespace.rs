#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "Counter")]
struct Counter {
    start: i64,
}

fn main() {}
