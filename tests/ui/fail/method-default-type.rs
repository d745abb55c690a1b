#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Options")]
struct Options;

#[torch_class]
impl Options {
    #[init]
    fn new(#[torch(default = 1.5)] n: i64, m: i64) -> Self {
        Options
    }

    fn forward(&self, #[torch(default = true)] x: Option<&Tensor>) {}
}

fn main() {}
