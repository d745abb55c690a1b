//! One name that a definition offers to its kernels, fakes and backward.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::names::identifier;

/// An argument, result or gradient under its name in Rust, as a constant of the runtime's.
pub(in crate::op) struct Slot {
    pub(in crate::op) name: String,
    pub(in crate::op) constant: TokenStream,
}

/// The messages for wrong types.
#[derive(Default)]
pub(super) struct Texts {
    /// In a kernel or backward.
    pub(super) wants: String,
    /// In a fake.
    pub(super) fake_wants: String,
    /// For `&mut Tensor` where nothing says that it is written to.
    pub(super) unwritten: String,
}

impl Slot {
    pub(super) fn new(name: &str, kind: &str, index: u16, ty: &TokenStream, texts: &Texts) -> Slot {
        let kind = format_ident!("{kind}");
        let Texts { wants, fake_wants, unwritten } = texts;
        let constant = quote! {
            __torchop::Slot {
                kind: __torchop::SlotKind::#kind,
                index: #index,
                ty: #ty,
                wants: #wants,
                fake_wants: #fake_wants,
                unwritten: #unwritten,
            }
        };
        Slot { name: name.to_owned(), constant }
    }

    /// A slot that fits everything, for a definition in error.
    pub(super) fn unknown(name: &str) -> Slot {
        Slot::new(name, "Argument", u16::MAX, &quote!(__torchop::SchemaType::Unknown), &Texts::default())
    }

    pub(super) fn gradient(index: u16, name: &str) -> Slot {
        let wants = format!(
            "`{name}` is the gradient of a result; write `{name}: &Tensor` (zeros where undefined) or `{name}: Option<&Tensor>`"
        );
        let texts = Texts { wants, ..Texts::default() };
        Slot::new(name, "Gradient", index, &quote!(__torchop::SchemaType::Tensor), &texts)
    }

    pub(in crate::op::expand) fn field(&self) -> Ident {
        identifier(&self.name, Span::call_site())
    }
}

/// `needs_grad_x`, and its message.
pub(super) fn needs_grad(argument: &str) -> (String, String) {
    let name = format!("needs_grad_{argument}");
    let wants = format!("`{name}` says whether the gradient of `{argument}` is wanted; write `{name}: bool`");
    (name, wants)
}

/// Adds slots whose names may be taken: then whoever came first keeps the name.
pub(super) fn add_free(slots: &mut Vec<Slot>, more: impl IntoIterator<Item = Slot>) {
    for slot in more {
        if slots.iter().all(|other| other.name != slot.name) {
            slots.push(slot);
        }
    }
}

/// `grad_output`; where an argument is called so, which keeps the name, `grad_of_output`. (The backward of an operator that is
/// itself a backward meets this.)
pub(super) fn gradient_name(output: &str, mut is_argument: impl FnMut(&str) -> bool) -> String {
    let name = format!("grad_{output}");
    if is_argument(&name) { format!("grad_of_{output}") } else { name }
}
