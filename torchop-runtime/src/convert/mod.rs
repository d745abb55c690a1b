//! Between torch's values and Rust types.
//!
//! Everything here speaks of [`Value`], [`Arguments`] and [`Results`], which are opaque: how torch lays its values out is
//! known to `value.rs` and the bridge alone. A second way to reach torch (its stable C interface) would replace those and
//! leave every conversion, the macros and users' code as they are.

mod argument;
mod gradients;
mod list;
mod returned;
mod tuple;
mod value;

pub use argument::Argument;
pub use gradients::{Gradient, Gradients};
pub use list::List;
pub use returned::{Element, One, Returned};
pub use tuple::{PutAll, ReadAll};
pub use value::{Arguments, Results, Value};

pub(crate) use argument::Mismatch;
pub(crate) use value::{OwnedValues, ResultSlot, learn_layout};
