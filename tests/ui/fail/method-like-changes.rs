#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_class(name = "my_ops::Queue", flatten)]
struct Queue {
    values: Vec<Tensor>,
}

#[torch_class]
impl Queue {
    #[init]
    fn new() -> Self {
        Queue { values: vec![] }
    }

    #[method(fake = like(x))]
    fn exchange(&mut self, x: &Tensor) -> Result<Tensor> {
        self.values.push(x.deep_clone()?);
        Ok(self.values.remove(0))
    }
}

fn main() {}
