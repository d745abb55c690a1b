#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter", pickle, flatten)]
struct Counter {
    start: i64,
}

#[torch_class]
impl Counter {
    #[getstate]
    fn f_getstate(&self) {}

    #[setstate]
    fn f_setstate(&self) {}

    #[flatten]
    fn f_flatten(&self) {}

    #[unflatten]
    fn f_unflatten(&self) {}
}

fn main() {}
