#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle)]
struct Counter {
    start: std::collections::HashMap<u8, u8>,
}

fn main() {}
