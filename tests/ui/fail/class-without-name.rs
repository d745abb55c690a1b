#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(pickle)]
struct Counter {
    start: i64,
}

fn main() {}
