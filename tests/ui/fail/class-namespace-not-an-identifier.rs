#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my-ops::Counter")]
struct Counter {
    start: i64,
}

fn main() {}
