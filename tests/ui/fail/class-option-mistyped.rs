#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pikle)]
struct Counter {
    start: i64,
}

fn main() {}
