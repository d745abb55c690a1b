//! Rust structs as torch's script classes.

mod field;
mod held;
mod lock;
mod object;
mod state;
mod torch_ref;

use crate::registration::ClassDef;
use torchop_schema::SchemaType;

pub use field::Field;
pub(crate) use held::Reading;
pub use held::{Changes, Changing};
pub(crate) use object::changing_object;
pub use object::{Constructed, Unset, construct, split_object};
pub use state::{
    FieldReader, FieldWriter, Fields, Pickle, State, field_argument, fields_def, restore_object, state_def,
};
pub(crate) use torch_ref::read_object;
pub use torch_ref::{Ref, TorchRef, give_object, taken_object};

/// A struct under `#[torch_class(name = …)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a torch class",
    label = "the struct lacks `#[torch_class(name = \"ns::Name\")]`",
    note = "put `#[torch_class(name = …)]` on the struct, plain `#[torch_class]` on its impl blocks"
)]
pub trait Class: Send + Sync + Sized + 'static {
    /// The definition.
    const DEF: &'static ClassDef;
}

/// A class with a constructor: implemented by the impl block with `#[init]`; coherence refuses a second one.
pub trait Init {}

/// One method of a class, by the number of its name ([`crate::check::name_number`]): what its fake must take and return.
#[diagnostic::on_unimplemented(message = "no such method on `{Self}`", label = "no method for this fake")]
pub trait Method<const NAME: u64> {
    /// The arguments after `self`.
    const SLOTS: &'static [crate::check::Slot];
    /// The types of the results.
    const RETURNS: &'static [SchemaType];
    /// Whether it changes the object: `&mut self`.
    const CHANGES: bool;
}
