#![allow(unused_variables)]

use torchop::prelude::*;

struct Counter;

#[torch_class]
impl Counter {
    fn f(&self) {}
}

fn main() {}
