#![allow(unused_variables)]

use torchop::prelude::*;

struct Counter<T>(T);

#[torch_class]
impl<T> Counter<T> {
    #[skip]
    fn f(&self) {}
}

fn main() {}
