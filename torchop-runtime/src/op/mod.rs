//! Operators: how torch calls Rust, and how Rust calls torch.

mod call;
mod kernel;
mod panics;

pub(crate) use call::TorchOp;
pub use call::{OpHandle, call};
pub(crate) use kernel::KernelContext;
pub(crate) use panics::{caught, record_locations};
