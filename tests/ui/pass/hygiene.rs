//! Nothing that a user's crate may call its own gets in the way of the generated code: compiled in every edition by
//! `tests/hygiene.rs`, and with clippy's strictest.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    dead_code,
    unused,
    unused_qualifications,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    clippy::all,
    clippy::pedantic
)]
#![allow(clippy::many_single_char_names)]

/// Shadows.
pub mod std {}
/// Shadows.
pub mod core {}
/// Shadows.
pub mod torchop {}
/// Shadows.
pub type Result = ();
/// Shadows.
#[derive(Debug, Clone, Copy)]
pub struct Ok;
/// Shadows.
#[derive(Debug, Clone, Copy)]
pub struct Slot;
/// Shadows.
#[derive(Debug, Clone, Copy)]
pub struct Option;

use ::torchop::{FakeTensor, SymInt, Tensor, TorchEnum, TorchTuple, torch_class, torch_op};

/// Every kind of argument.
///
/// # Errors
/// Always.
#[torch_op(
    schema = "my_ops::kinds(Tensor self, Tensor? w, int type, SymInt n, float a, bool b, str s, int[] l, Tensor[] ts) -> (Tensor, int)",
    cpu,
    tags(pointwise)
)]
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn kinds(
    self_: &Tensor,
    w: ::core::option::Option<&Tensor>,
    r#type: i64,
    n: i64,
    _a: f64,
    b: bool,
    s: &str,
    l: ::torchop::List<'_, i64>,
    mut ts: ::std::vec::Vec<&Tensor>,
) -> ::torchop::Result<(Tensor, i64)> {
    let _ = (w, n, b, s, l);
    ts.clear();
    ::core::result::Result::Ok((self_.empty_like()?, r#type))
}

#[torch_op(fake_of = kinds)]
#[allow(clippy::too_many_arguments)]
fn kinds_fake(
    self_: &FakeTensor,
    _w: ::core::option::Option<&FakeTensor>,
    r#type: i64,
    _n: SymInt,
    _a: f64,
    _b: bool,
    _s: &str,
    _l: ::torchop::List<'_, i64>,
    _ts: ::torchop::List<'_, &FakeTensor>,
) -> ::torchop::Result<(FakeTensor, i64)> {
    ::core::result::Result::Ok((self_.empty_like()?, r#type))
}

#[torch_op(backward_of = kinds, gradients(self_, w))]
fn kinds_backward(
    grad_output0: ::core::option::Option<&Tensor>,
    self_: &Tensor,
    _output0: &Tensor,
    needs_grad_w: bool,
) -> ::torchop::Result<(::core::option::Option<Tensor>, ::core::option::Option<Tensor>)> {
    let _ = needs_grad_w;
    let _ = grad_output0;
    ::core::result::Result::Ok((::core::option::Option::Some(self_.empty_like()?), ::core::option::Option::None))
}

#[torch_op(schema = "my_ops::nothing() -> ()", composite)]
fn nothing() {}

/// Writes, and has no schema.
///
/// # Errors
/// Always.
#[torch_op(name = "my_ops::inferred", cpu)]
pub fn inferred(
    self_: &mut Tensor,
    r#type: i64,
    #[torch(int, default = -3)] n: i64,
    #[torch(default = None)] w: ::core::option::Option<&Tensor>,
    #[torch(default = "sum")] mode: Mode,
    #[torch(default = [1, 2])] l: ::std::vec::Vec<i64>,
) -> ::torchop::Result<(Tensor, Tensor)> {
    let _ = (w, mode, l, r#type + n);
    ::core::result::Result::Ok((self_.empty_like()?, self_.empty_like()?))
}

#[torch_op(fake_of = inferred)]
fn inferred_fake(
    self_: &FakeTensor,
    r#type: SymInt,
    _n: i64,
    _w: ::core::option::Option<&FakeTensor>,
    _mode: Mode,
    _l: ::std::vec::Vec<SymInt>,
) -> ::torchop::Result<(FakeTensor, FakeTensor)> {
    ::core::mem::drop(r#type);
    ::core::result::Result::Ok((self_.empty_like()?, self_.empty_like()?))
}

/// Words.
#[derive(Debug, Clone, Copy, TorchEnum)]
pub enum Mode {
    /// A word.
    Mean,
    /// A word.
    #[torch(name = "sum")]
    r#Type,
}

/// A tuple.
#[derive(Debug, Clone, Copy, TorchTuple)]
pub struct Window {
    /// A part.
    pub size: i64,
    r#type: bool,
}

/// A tuple that borrows.
#[derive(Debug, Clone, Copy, TorchTuple)]
pub struct Scaled<'a>(&'a Tensor, f64);

/// A tuple that owns.
#[derive(Debug, TorchTuple)]
pub struct Owned(Tensor, Mode);

/// Takes and gives tuples.
///
/// # Errors
/// Always.
#[torch_op(schema = "my_ops::tuples((int, bool) w, (Tensor, float) s) -> ((Tensor, str))", composite_explicit)]
pub fn tuples(w: Window, s: Scaled<'_>) -> ::torchop::Result<Owned> {
    let _ = (w.r#type, s.1);
    ::core::result::Result::Ok(Owned(s.0.empty_like()?, Mode::Mean))
}

/// A class.
#[torch_class(name = "my_ops::Everything", pickle, flatten)]
#[derive(Debug)]
pub struct Everything {
    r#type: i64,
    name: ::std::string::String,
}

#[torch_class]
impl Everything {
    const START: i64 = 1;

    /// Makes one.
    #[init]
    #[must_use]
    pub fn new(#[torch(default = 1)] r#type: i64) -> Self {
        Everything { r#type: r#type + Self::START, name: ::std::string::String::new() }
    }

    /// Its type.
    #[getter]
    fn r#type(&self) -> i64 {
        self.r#type
    }

    /// Its name.
    ///
    /// # Errors
    /// Never.
    pub fn name(&self, other: &Self) -> ::torchop::Result<::std::string::String> {
        let _ = other;
        ::core::result::Result::Ok(::core::clone::Clone::clone(&self.name))
    }

    #[cfg(any())]
    fn absent(&self, x: Missing) {}

    #[skip]
    fn generic<T>(value: T) -> T {
        value
    }
}

#[torch_class]
impl Everything {
    fn forward(&self, input: &Tensor, _n: i64) -> ::torchop::Result<Tensor> {
        let _ = Self::generic(self.r#type);
        input.empty_like()
    }

    #[fake(forward)]
    fn forward_fake(&self, input: &FakeTensor, _n: i64) -> ::torchop::Result<FakeTensor> {
        let _ = self.r#type;
        input.empty_like()
    }
}

/// A class without fields.
#[torch_class(name = "my_ops::Unit", pickle)]
#[derive(Debug, Clone, Copy)]
pub struct Unit;

fn main() {}
