//! AOTInductor packages and operator libraries in a Rust program, without Python. Users reach it as `torchop::aoti`, with torchop's
//! feature `aoti`.
//!
//! ```no_run
//! use torchop_aoti::{Model, load_library};
//! use torchop_runtime::{DType, Result, Tensor};
//!
//! fn main() -> Result<()> {
//!     load_library("libidentity_conv_ops.so")?;
//!     // SAFETY: the package comes from `torch.export` with such an input.
//!     let model = unsafe { Model::load("model.pt2", &["x: float32[batch, 3, height, width]"])? };
//!     let y = model.run(&[&Tensor::zeros(&[2, 3, 8, 8], DType::Float32)?])?;
//!     println!("{}", y[0]);
//!     Ok(())
//! }
//! ```
//!
//! An operator library that the program is linked with needs no `load_library`: name the crate (`use my_ops as _;`). The program finds
//! libtorch where the loader looks for it: `cargo run` and `cargo test` say where; into a program that is run by itself, a build script of
//! one line writes the folder: `fn main() { torchop_build::link_program(); }`.

mod bridge;
mod compiled;
mod declared;
mod input;
mod library;
mod model;
mod options;

pub use input::{Dimension, Input};
pub use library::load_library;
pub use model::Model;
pub use options::Options;
