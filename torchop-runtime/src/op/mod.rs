//! Operators: how torch calls Rust, and how Rust calls torch.

pub(crate) mod aten;
mod borrowed;
mod call;
mod kernel;
mod panics;
mod torch_op;

pub use call::{OpHandle, call};
pub(crate) use kernel::KernelContext;
pub(crate) use panics::{caught, discard, raise, record_locations};
pub use torch_op::TorchOp;
