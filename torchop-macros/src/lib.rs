//! The attributes `#[torch_op]` and `#[torch_class]` of torchop.
//!
//! Each goes the same four steps: parse the item and the options, build the model, check it, expand it. Every refusal
//! is collected in [`errors::Errors`] before expansion, which cannot fail. The user's item is always emitted, with its
//! handle, so that one mistake is one message. Bodies of functions are never looked into: they pass through as one
//! token group, and editors complete inside half-typed code.

#![forbid(unsafe_code)]

mod attribute_list;
mod class;
mod crate_path;
mod errors;
mod item;
mod names;
mod op;
mod print;
mod schema;
mod text;

use proc_macro::TokenStream;

/// Makes a function an operator of torch, or a kernel, fake or backward of one.
///
/// ```ignore
/// #[torch_op(schema = "my_ops::scale(Tensor x, float alpha) -> Tensor", cpu)]
/// fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> { … }
///
/// #[torch_op(kernel_of = scale, cuda)]
/// fn scale_cuda(x: &Tensor, alpha: f64) -> Result<Tensor> { … }
///
/// #[torch_op(fake_of = scale)]
/// fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> { … }
///
/// #[torch_op(backward_of = scale)]
/// fn scale_backward(grad_output: &Tensor, alpha: f64) -> Result<Tensor> { … }
/// ```
///
/// A function has one role:
///
/// | role | what it does |
/// |---|---|
/// | `schema = "ns::f(…) -> …"` with keys | defines the operator; the function is its kernel for these keys |
/// | `kernel_of = f` with keys | a kernel for further keys |
/// | `fake_of = f` | the shapes of the results, for `torch.compile` and `torch.export` |
/// | `backward_of = f` | the gradients; its parameters say what is saved |
///
/// Keys are `cpu`, `cuda`, `composite`, `composite_explicit`, and any dispatch key of torch by its own name.
/// A definition also takes `tags(…)` with names from `torch.Tag`, and `handle = Name` where a type with the function's
/// name would be in the way. A backward takes `gradients(x, weight)` where it does not return all of them.
/// `crate = path` names torchop where another crate re-exports it.
///
/// The defining function's name calls the operator through torch's dispatcher, with gradients, fakes and devices. The
/// function as written is `f::kernel`.
#[proc_macro_attribute]
pub fn torch_op(options: TokenStream, item: TokenStream) -> TokenStream {
    print::pass_on("torch_op", op::torch_op(options.into(), item.into())).into()
}

/// Makes a struct a class of torch: on the struct, and again on each of its `impl` blocks.
///
/// ```ignore
/// #[torch_class(name = "my_ops::Counter", pickle, flatten)]
/// struct Counter { start: i64 }
///
/// #[torch_class]
/// impl Counter {
///     #[init]
///     fn new(start: i64) -> Result<Self> { … }
///     #[getter]
///     fn start(&self) -> i64 { self.start }
///     fn forward(&self, x: &Tensor) -> Result<Tensor> { … }
///     #[fake(forward)]
///     fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> { … }
/// }
/// ```
///
/// On the struct: `name = "ns::Name"`, `pickle` (state for `torch.save`, from the fields), `flatten` (state for
/// `torch.compile` and `torch.export`, from the fields), and `crate = path`. In a block every function is a method
/// unless it is marked `#[init]`, `#[getter]`, `#[fake(method)]` or `#[skip]`.
#[proc_macro_attribute]
pub fn torch_class(options: TokenStream, item: TokenStream) -> TokenStream {
    print::pass_on("torch_class", class::torch_class(options.into(), item.into())).into()
}
