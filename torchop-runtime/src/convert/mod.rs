//! Between torch's values and Rust types.
//!
//! Everything here speaks of [`Value`], [`Arguments`] and [`Results`], which are opaque: how torch lays its values out is
//! known to `value.rs`, `results.rs`, `tags.rs` and the bridge alone. A second way to reach torch (its stable C interface) would replace those and
//! leave every conversion, the macros and users' code as they are.

mod argument;
mod dict;
mod gradients;
mod list;
mod results;
mod returned;
mod scratch;
mod tags;
mod tuple;
mod value;

pub use argument::Argument;
pub use dict::Dict;
pub use gradients::{Gradient, Gradients};
pub use list::List;
pub use results::Results;
pub use returned::{Element, One, Returned};
pub use tuple::{PutAll, ReadAll};
pub use value::{Arguments, Value};

pub(crate) use argument::Mismatch;
pub(crate) use results::{OwnedValues, ResultSlot};
pub(crate) use scratch::Scratch;
pub(crate) use tags::learn_layout;
