//! The attributes `#[torch_op]` and `#[torch_class]` of torchop, and the derives `TorchEnum` and `TorchTuple`.
//!
//! Each goes the same four steps: parse the item and the options, build the model, check it, expand it. Every refusal
//! is collected in [`errors::Errors`] before expansion, which cannot fail. The user's item is always emitted, with its
//! handle, so that one mistake is one message. Bodies of functions are never looked into: they pass through as one
//! token group, and editors complete inside half-typed code.

#![forbid(unsafe_code)]

mod attribute_list;
mod class;
mod crate_path;
mod defaults;
mod derive;
mod errors;
mod item;
mod names;
mod op;
mod print;
mod schema;
#[cfg(test)]
mod snapshots;
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
/// | `name = "ns::f"` with keys | the same, with the schema that the function's types say |
/// | `kernel_of = f` with keys | a kernel for further keys |
/// | `fake_of = f` | the shapes of the results, for `torch.compile` and `torch.export` |
/// | `backward_of = f` | the gradients; its parameters say what is saved |
/// | `backward_of = f, name = "ns::g"` with keys | the same as an operator of its own, for what looks at numbers |
/// | `jvp_of = f` | the tangents of the results, for forward mode |
/// | `batch_of = f` | the results with a batch dimension, for `vmap` |
///
/// Keys are `cpu`, `cuda`, `composite`, `composite_explicit`, and any dispatch key of torch by its own name.
/// A definition also takes `tags(…)` with names from `torch.Tag`, and `handle = Name` where a type with the function's
/// name would be in the way. A backward takes `gradients(x, weight)` where it does not return all of them.
/// `crate = path` names torchop where another crate re-exports it.
///
/// On a definition, `nondifferentiable` says that its results have no gradient, `nondifferentiable(index)` that these have none;
/// `autocast(cuda = f16, cpu = bf16)` or `autocast(f32)` what autocast casts its tensors to, with `lower_precision` for the dtype of
/// the region; `effectful` that each call counts beside its results (it writes a file, say), so that compiled graphs leave none out and keep
/// their order. An operator that returns nothing and writes to no argument is so anyway.
/// `sharding = pointwise` says that each element of the results depends on one element of each tensor, which are broadcast: sharded
/// tensors of `torch.distributed.tensor` go through as they are. The results are single tensors, no tensor stands behind the `*`.
///
/// # Operators of others
/// `foreign` on a definition says that another library defines the operator, such as torch itself:
/// ```ignore
/// #[torch_op(schema = "aten::digamma(Tensor self) -> Tensor", foreign, SparseCPU)]
/// fn digamma(self_: &Tensor) -> Result<Tensor> { … }
/// ```
/// Nothing is defined then; kernels are added, and a fake, a backward or another role where the operator has none. That library is loaded
/// first, and has the same schema; what it has is not replaced; kernels for what it calls composite would lose gradients: each is an
/// error when the library is loaded.
///
/// # Forward mode and vmap
/// ```ignore
/// #[torch_op(jvp_of = scale)]
/// fn scale_jvp(tangent_x: &Tensor, alpha: f64) -> Result<Tensor> { … }
///
/// #[torch_op(batch_of = scale)]
/// fn scale_batch(x: &Tensor, is_batched_x: bool, batch_size: i64, alpha: f64) -> Result<Tensor> { … }
/// ```
/// `tangent_` stands before an argument's name: `&Tensor` is zeros where there is no tangent, `Option<&Tensor>` is `None`. A jvp function
/// takes arguments and results by their names too, and gives one tangent for each result. In a rule for `vmap`, arguments have the
/// batch dimension in front if `is_batched_` says so, and results always.
///
/// # Sizes that depend on data
/// ```ignore
/// #[torch_op(fake_of = nonzero)]
/// fn nonzero_fake(x: &FakeTensor, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> { … }
/// ```
/// Torch makes up a size for each such parameter of a fake; they come after the operator's arguments.
///
/// The defining function's name calls the operator through torch's dispatcher, with gradients, fakes and devices. The
/// function as written is `f::kernel`.
///
/// # Without a schema
/// ```ignore
/// #[torch_op(name = "my_ops::scale", cpu)]
/// fn scale(x: &mut Tensor, rows: i64, #[torch(int)] axis: i64, #[torch(default = 1.0)] alpha: f64) -> Result<()> { … }
/// // my_ops::scale(Tensor(a!) x, SymInt rows, int axis, float alpha=1.) -> ()
/// ```
/// An `i64` may be a size, so it is `SymInt`, as in torch's own inference; `#[torch(int)]` says that it is none. Each
/// `&mut Tensor` has a letter of its own. `self_` is `self`. A default is a number, `true`, `false`, text in quotes, `None`, a
/// list of numbers, or one of torch's words such as `float32`.
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

/// Makes an enum without fields a `str` in operators and methods: `SmoothL1` is `"smooth_l1"`, or what
/// `#[torch(name = "…")]` on the variant says. Any other text is a `ValueError` that lists the words.
///
/// ```ignore
/// #[derive(TorchEnum)]
/// enum Reduction { Mean, Sum, #[torch(name = "none")] Off }
///
/// #[torch_op(schema = "my_ops::loss(Tensor x, str reduction='mean') -> Tensor", cpu)]
/// fn loss(x: &Tensor, reduction: Reduction) -> Result<Tensor> { … }
/// ```
#[proc_macro_derive(TorchEnum, attributes(torch))]
pub fn torch_enum(item: TokenStream) -> TokenStream {
    print::pass_on("TorchEnum", derive::torch_enum(item.into())).into()
}

/// Makes a struct a tuple in operators and methods, of its fields in their order. Fields that borrow (`&'a Tensor`) make it
/// an argument only; those that own (`Tensor`) an argument and a result.
///
/// ```ignore
/// #[derive(TorchTuple)]
/// struct Window { size: i64, stride: i64 }
///
/// #[torch_op(schema = "my_ops::pool(Tensor x, (int, int) window) -> Tensor", cpu)]
/// fn pool(x: &Tensor, window: Window) -> Result<Tensor> { … }
/// ```
#[proc_macro_derive(TorchTuple, attributes(torch))]
pub fn torch_tuple(item: TokenStream) -> TokenStream {
    print::pass_on("TorchTuple", derive::torch_tuple(item.into())).into()
}
