//! Operators and classes of every shape, for the tests: one file per topic, beside `tests/python/test_<topic>.py`.

#![forbid(unsafe_code)]
#![allow(missing_docs)]
// Panics, wide signatures and odd arithmetic are the point here.
#![allow(clippy::unnecessary_literal_unwrap, clippy::type_complexity, clippy::too_many_arguments, clippy::identity_op)]

pub mod aliasing;
pub mod autograd;
pub mod calls;
pub mod changing;
pub mod classes;
pub mod errors;
pub mod panics;
pub mod tensors;
pub mod types;
pub mod types_compound;
pub mod types_inferred;
pub mod types_mutable;
pub mod types_values;
