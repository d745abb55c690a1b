//! All of torch's operators as Rust functions, made from the torch that the crate is built with. Users reach it as `torchop::aten`.
//!
//! ```no_run
//! # #[cfg(any())] {
//! use torchop::prelude::*;
//!
//! fn attention(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
//!     let scores = aten::matmul(q, &aten::transpose(k, -2, -1)?)?;
//!     aten::matmul(&aten::softmax(&scores, -1, None)?, v)
//! }
//! # }
//! ```
//!
//! Each call goes through torch's dispatcher: gradients, fakes, modes and devices work. `docs/aten.md` in the repository says how operators and types are
//! called in Rust. Without torch (`TORCHOP_NO_TORCH=1`) there are no functions here.

mod functions {
    #![allow(
        non_snake_case,
        unused_imports,
        clippy::doc_markdown,
        clippy::too_many_arguments,
        clippy::type_complexity,
        clippy::undocumented_unsafe_blocks, // the caller of each such function makes the promise
        clippy::useless_conversion
    )]

    use torchop_runtime::__private::Same;
    use torchop_runtime::{
        DType, Device, Generator, Layout, MaybeSym, MemoryFormat, Options, Result, Scalar, Stream, SymInt, SymInts,
        Tensor, TensorRef, TorchOp,
    };

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

pub use functions::*;

/// Items that call torch's operators by these functions, for a crate that is also to be checked without torch: there they are left out.
///
/// ```
/// torchop_aten::if_torch! {
///     mod losses {
///         // …
///     }
/// }
/// ```
#[cfg(not(without_torch))]
#[macro_export]
macro_rules! if_torch {
    ($($item:item)*) => { $($item)* };
}
/// Items that call torch's operators by these functions, which are not there without torch.
#[cfg(without_torch)]
#[macro_export]
macro_rules! if_torch {
    ($($item:item)*) => {};
}

/// The generator's own tests.
#[cfg(test)]
#[allow(dead_code)]
#[path = "../build"]
mod build {
    mod function;
    mod headers;
    mod module;
    mod names;
    mod types;
}
