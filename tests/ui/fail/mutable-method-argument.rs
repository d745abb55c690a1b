#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Filler")]
struct Filler;

#[torch_class]
impl Filler {
    #[init]
    fn new() -> Self {
        Filler
    }

    fn fill(&self, x: &mut Tensor) -> Result<()> {
        todo!()
    }
}

fn main() {}
