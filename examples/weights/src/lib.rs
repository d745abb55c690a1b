//! A class that holds weights: a linear layer whose tensors live in Rust.
//!
//! ```python
//! import torch
//! torch.ops.load_library("target/release/libweights_ops.so")
//! layer = torch.classes.my_weights.Linear(torch.randn(8, 4), None)
//! y = layer.forward(torch.randn(2, 4))
//! ```
//!
//! An `nn.Module` that holds such an object moves it along by one function, since torch does not look into objects:
//!
//! ```python
//! class Layer(torch.nn.Module):
//!     def __init__(self, weight):
//!         super().__init__()
//!         self.linear = torch.classes.my_weights.Linear(weight, None)
//!
//!     def forward(self, x):
//!         return self.linear.forward(x)
//!
//!     def _apply(self, fn, recurse=True):  # behind .to(), .cuda(), .cpu()
//!         super()._apply(fn, recurse)
//!         self.linear = self.linear.to(fn(torch.empty(0)).device)
//!         return self
//! ```

#![forbid(unsafe_code)]

use torchop::prelude::*;

/// Any operator of torch's can be called.
static LINEAR: TorchOp = TorchOp::new("aten::linear", "");

/// `scale * (x @ weight.T + bias)`
///
/// `pickle` saves the fields, `flatten` shows them to `torch.compile` and `torch.export`, `to` derives `to(device)`.
/// Version 2 added `scale`.
#[torch_class(name = "my_weights::Linear", pickle, flatten, to, version = 2)]
struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
    scale: f64,
}

#[torch_class]
impl Linear {
    /// `weight` is `[out, in]`, `bias` is `[out]`. Both are copied: what the caller does to them later changes nothing here.
    #[init]
    fn new(weight: &Tensor, bias: Option<&Tensor>, #[torch(default = 1.0)] scale: f64) -> Result<Self> {
        let sizes = weight.sizes()?;
        if sizes.len() != 2 {
            return Err(Error::value(format!("expected a weight of 2 dimensions, got {}", sizes.len())));
        }
        if let Some(bias) = bias
            && bias.sizes()?.first() != sizes.first()
        {
            return Err(Error::value(format!("expected a bias of {} elements, got {:?}", sizes[0], &*bias.sizes()?)));
        }
        Ok(Linear { weight: weight.deep_clone()?, bias: bias.map(Tensor::deep_clone).transpose()?, scale })
    }

    /// Reads what version 1 saved: the parameters are called like its fields.
    #[upgrade(1)]
    fn from_version_1(weight: &Tensor, bias: Option<&Tensor>) -> Self {
        Linear { weight: weight.clone(), bias: bias.cloned(), scale: 1.0 }
    }

    #[getter]
    fn weight(&self) -> Tensor {
        self.weight.clone()
    }

    /// Called like a field and without a tensor, so it needs no fake.
    fn scale(&self) -> f64 {
        self.scale
    }

    /// It only calls torch's operators: while torch traces, the same function runs on tensors without data.
    #[method(composite)]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.expect_device(self.weight.device()?)?;
        LINEAR.call::<Tensor>((x, &self.weight, self.bias.as_ref()))?.mul_scalar(self.scale)
    }
}
