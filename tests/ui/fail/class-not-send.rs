#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    start: std::rc::Rc<i64>,
}

fn main() {}
