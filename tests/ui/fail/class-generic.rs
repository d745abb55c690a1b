#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter<T> {
    start: T,
}

fn main() {}
