#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[setter]
    fn f_setter(&self) {}

    #[static_method]
    fn f_static_method(&self) {}
}

fn main() {}
