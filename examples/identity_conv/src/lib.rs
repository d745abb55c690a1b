//! A PyTorch operator and a stateful class, all in Rust. Copy this crate and start from it.
//!
//! ```python
//! import torch
//! torch.ops.load_library("target/release/libidentity_conv_ops.so")
//! conv = torch.classes.my_ops.IdentityConvClass(3)
//! y = torch.ops.my_ops.identity_conv_op(conv.forward(torch.randn(2, 3, 8, 8)))
//! ```

#![forbid(unsafe_code)]

mod cuda;

use torchop::prelude::*;

/// Copies `input`: same values, sizes, strides and dtype, in memory of its own.
#[torch_op(schema = "my_ops::identity_conv_op(Tensor input) -> Tensor", cpu, QuantizedCPU)]
fn identity_conv_op(input: &Tensor) -> Result<Tensor> {
    // Torch's own copy keeps the strides of a dense tensor, and makes any other dense.
    let copy = input.deep_clone()?;
    if copy.strides()? == input.strides()? {
        return Ok(copy);
    }
    // All the memory from the first to the last element, as it lies: any layout, any dtype.
    let memory = input.as_strided(&[input.span()?], &[1], input.storage_offset()?)?;
    memory.deep_clone()?.as_strided(&input.sizes()?, &input.strides()?, 0)
}

/// What the result looks like, for `torch.compile`, `torch.export` and `device="meta"`: no data, and sizes may be symbols.
#[torch_op(fake_of = identity_conv_op)]
fn identity_conv_fake(input: &FakeTensor) -> Result<FakeTensor> {
    input.new_empty_strided(&input.sym_sizes()?, &input.sym_strides()?)
}

/// The gradient of a copy is the gradient. Calling the operator by its name keeps it differentiable, so that gradients of
/// gradients work too; the function as written above would be `identity_conv_op::kernel`.
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
        if channels < 1 {
            return Err(Error::value(format!("channels must be positive, got {channels}")));
        }
        Ok(Self { channels })
    }

    #[getter]
    fn channels(&self) -> i64 {
        self.channels
    }

    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let (wanted, dimensions) = (self.channels, input.dim()?);
        if dimensions < 2 {
            return Err(Error::value(format!(
                "expected at least 2 dimensions with {wanted} channels in dimension 1, got {dimensions}"
            )));
        }
        let channels = input.size(1)?;
        if channels != wanted {
            return Err(Error::value(format!("expected {wanted} channels in dimension 1, got {channels}")));
        }
        identity_conv_op(input)
    }

    #[fake(forward)]
    fn forward_fake(&self, input: &FakeTensor) -> Result<FakeTensor> {
        identity_conv_fake(input)
    }
}
