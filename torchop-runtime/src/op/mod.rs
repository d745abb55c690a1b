//! Operators: how torch calls Rust, and how Rust calls torch.

mod borrowed;
mod call;
mod kernel;
mod panics;

pub use call::{OpHandle, TorchOp, call};
pub(crate) use kernel::KernelContext;
pub(crate) use panics::{caught, record_locations};
