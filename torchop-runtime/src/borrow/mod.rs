//! Who looks at which memory: a run-time borrow, as `RefCell` has for one value, for all tensors of the process.
//!
//! Handles of one tensor, views of it, and tensors that foreign code made of the same memory all lead to the same bytes, so
//! what is borrowed is bytes, not a handle. The registry is one for the process: libraries that were built with other
//! releases of torchop find it under the name of its version.

mod claim;
mod overlap;
mod registry;
mod shared;

pub(crate) use claim::{Claim, Gaps, Place, Step};
pub use shared::Held;
pub(crate) use shared::{Clash, Lease, any_live, conflict};
