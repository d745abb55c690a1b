#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! The example that the design promises, with its bodies left out.

use torchop::prelude::*;

/// Copies `input`: same shape, dtype and strides.
#[torch_op(schema = "my_ops::identity_conv_op(Tensor input) -> Tensor", cpu)]
fn identity_conv_op(input: &Tensor) -> Result<Tensor> {
    todo!("{input:?}")
}

#[torch_op(kernel_of = identity_conv_op, cuda)]
fn identity_conv_cuda(input: &Tensor) -> Result<Tensor> {
    todo!("{input:?}")
}

#[torch_op(fake_of = identity_conv_op)]
fn identity_conv_fake(input: &FakeTensor) -> Result<FakeTensor> {
    input.empty_like()
}

#[torch_op(backward_of = identity_conv_op)]
fn identity_conv_backward(grad_output: &Tensor) -> Result<Tensor> {
    identity_conv_op(grad_output)
}

/// Identity convolution that checks its channel count.
#[torch_class(name = "my_ops::IdentityConvClass", pickle, flatten)]
struct IdentityConvClass {
    channels: i64,
}

#[torch_class]
impl IdentityConvClass {
    #[init]
    fn new(channels: i64) -> Result<Self> {
        Ok(IdentityConvClass { channels })
    }

    #[getter]
    fn channels(&self) -> i64 {
        self.channels
    }

    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        identity_conv_op(input)
    }

    #[fake(forward)]
    fn forward_fake(&self, input: &FakeTensor) -> Result<FakeTensor> {
        input.empty_like()
    }
}

fn main() {}
