//! A fake sees tensors without data.

use torchop::prelude::*;

#[torch_op(schema = "my_ops::scale(Tensor x, Tensor? y) -> Tensor", cpu)]
fn scale(x: &Tensor, _y: Option<&Tensor>) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(fake_of = scale)]
fn scale_fake(x: &Tensor, _y: Option<&Tensor>) -> Result<Tensor> {
    x.empty_like()
}

fn main() {}
