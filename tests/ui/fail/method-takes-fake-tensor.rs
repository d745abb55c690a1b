//! A method sees tensors with data; its fake does not.

use torchop::prelude::*;

#[torch_class(name = "my_ops::Scale", flatten)]
struct Scale {
    factor: f64,
}

#[torch_class]
impl Scale {
    #[init]
    fn new(factor: f64) -> Self {
        Self { factor }
    }

    fn forward(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

fn main() {}
