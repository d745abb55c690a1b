//! Operators and classes of every shape, for the tests: one file per topic, beside `tests/python/test_<topic>.py`.

#![forbid(unsafe_code)]
#![allow(missing_docs)]
// Panics, wide signatures and odd arithmetic are the point here.
#![allow(clippy::unnecessary_literal_unwrap, clippy::type_complexity, clippy::too_many_arguments, clippy::identity_op)]

pub mod aliasing;
pub mod autocast;
pub mod autograd;
pub mod backward_ops;
pub mod calls;
pub mod changing;
pub mod class_state;
pub mod class_tracing;
pub mod class_training;
pub mod class_types;
pub mod classes;
pub mod cuda;
pub mod cuda_broken;
pub mod dynamic_sizes;
pub mod effects;
mod elementwise;
pub mod errors;
pub mod matrix;
mod methods;
pub mod names;
pub mod panics;
pub mod parallel;
pub mod random;
pub mod sharding;
pub mod symbols;
pub mod tensors;
pub mod tensors_made;
pub mod transforms;
pub mod types;
pub mod types_compound;
pub mod types_inferred;
pub mod types_mutable;
pub mod types_values;
pub mod views;
pub mod views_held;

torchop::if_torch! {
    pub mod aten;
}
