//! Between torch's values and Rust types.
//!
//! Everything here speaks of [`Value`], [`Arguments`] and [`Results`], which are opaque: how torch lays its values out is
//! known to `value.rs`, `results.rs`, `tags.rs` and the bridge alone. A second way to reach torch (its stable C interface) would replace those and
//! leave every conversion, the macros and users' code as they are.

mod argument;
mod derived;
mod dict;
mod gradients;
mod list;
mod parts;
mod results;
mod returned;
mod scratch;
mod tags;
mod tuple;
mod value;

pub use argument::{Argument, Mismatch};
pub use derived::{Word, give_one, read_word};
pub use dict::Dict;
pub use gradients::{Gradient, Gradients};
pub use list::List;
pub use parts::{
    BorrowedTuplePart, NoElement, Part, PartWriter, ReadNoPart, ReadOwnedPart, ReadPart, TakePart, TuplePart,
    borrowed_part, owned_part, parts, put_parts,
};
pub use results::{ArgumentSlot, OwnedValues, ResultSlot, Results};
pub use returned::{Element, One, ResultValues, Returned, taken_one};
pub use tuple::{PutAll, ReadAll};
pub use value::{Arguments, Value};

pub(crate) use argument::{elements, read_element};
pub(crate) use scratch::Scratch;
pub(crate) use tags::know_layout;
