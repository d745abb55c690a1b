//! The user's items, as far as the attributes look into them.

pub(crate) mod attributes;
pub(crate) mod block;
pub(crate) mod default_value;
pub(crate) mod function;
pub(crate) mod parameter;
pub(crate) mod parameter_options;
pub(crate) mod self_type;
pub(crate) mod signature;
