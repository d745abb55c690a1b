//! What a `#[torch_class]` block was understood as.

use super::role::{MethodFake, StateRole};
use crate::crate_path::CratePath;
use crate::item::parameter::Parameter;
use proc_macro2::{Ident, Span, TokenStream};
use syn::Type;

/// One block.
pub(crate) struct Methods {
    pub(crate) class: Type,
    pub(crate) crate_path: CratePath,
    /// `#[cfg]` of the block.
    pub(crate) conditions: TokenStream,
    pub(crate) methods: Vec<Method>,
}

/// One function that torch calls.
pub(crate) struct Method {
    pub(crate) kind: Kind,
    pub(crate) name: Ident,
    /// `&mut self`
    pub(crate) changes: bool,
    /// Without the receiver; `Self` is replaced by the class.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: TokenStream,
    pub(crate) output_span: Span,
    /// `#[cfg]` of the function.
    pub(crate) conditions: TokenStream,
    pub(crate) documentation: String,
}

pub(crate) enum Kind {
    Init,
    Method(MethodFake),
    Getter,
    /// Of the property of that name.
    Setter(String),
    Static,
    Fake(Ident),
    State(StateRole),
}

impl Method {
    /// Whether it makes an object, and has none.
    pub(crate) fn makes_object(&self) -> bool {
        match self.kind {
            Kind::Init => true,
            Kind::State(role) => !role.reads_object(),
            _ => false,
        }
    }

    /// The functions of `#[flatten]` and `#[unflatten]` are called through a trait.
    pub(crate) fn is_called_by_torch(&self) -> bool {
        !matches!(self.kind, Kind::State(StateRole::Flatten | StateRole::Unflatten))
    }

    /// The place of the name, for generated code.
    pub(crate) fn name_span(&self) -> Span {
        self.name.span().resolved_at(Span::call_site())
    }
}
