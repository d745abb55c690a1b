//! What a definition tells its kernels, fakes and backward: one slot per name.

use crate::schema::{Argument, Schema, rust_type};
use crate::text::counted;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// An argument, result or gradient under its name in Rust, with the messages for a wrong type.
pub(crate) struct Slot {
    pub(crate) name: String,
    kind: &'static str,
    index: u16,
    ty: TokenStream,
    wants: String,
    fake_wants: String,
}

impl Slot {
    /// The slot as a constant of the runtime's.
    pub(crate) fn constant(&self) -> TokenStream {
        let Slot { name: _, kind, index, ty, wants, fake_wants } = self;
        let kind = format_ident!("{kind}");
        quote! {
            __torchop::Slot {
                kind: __torchop::SlotKind::#kind,
                index: #index,
                ty: #ty,
                wants: #wants,
                fake_wants: #fake_wants,
            }
        }
    }

    /// A slot that fits everything, for a definition in error.
    pub(crate) fn unknown(name: &str) -> Slot {
        Slot {
            name: name.to_owned(),
            kind: "Argument",
            index: u16::MAX,
            ty: quote!(__torchop::SchemaType::Unknown),
            wants: String::new(),
            fake_wants: String::new(),
        }
    }
}

/// All slots of a schema. Where a result or a gradient would be called like an argument, the argument has the name; such a
/// gradient is `grad_of_output` then. (The backward of an operator that is itself a backward meets this.)
pub(crate) fn slots(schema: &Schema) -> Vec<Slot> {
    let mut slots: Vec<Slot> =
        (0..).zip(&schema.arguments).map(|(index, argument)| argument_slot(index, argument)).collect();
    let mut add = |slot: Slot| {
        if slots.iter().all(|other| other.name != slot.name) {
            slots.push(slot);
        }
    };
    for (index, output) in (0..).zip(&schema.outputs) {
        let (name, ty) = (&output.rust_name, &output.ty);
        let rust = rust_type::argument(ty, false).unwrap_or_default();
        add(Slot {
            name: name.clone(),
            kind: "Output",
            index,
            ty: rust_type::constant(ty),
            wants: format!("`{name}` is a result, `{ty}` in the schema; write `{name}: {rust}`"),
            fake_wants: String::new(),
        });
        let taken = schema.arguments.iter().any(|argument| argument.rust_name == format!("grad_{name}"));
        add(gradient_slot(index, format!("{}_{name}", if taken { "grad_of" } else { "grad" })));
    }
    for (index, argument) in (0..).zip(&schema.arguments).filter(|(_, argument)| argument.holds_tensors()) {
        add(needs_grad_slot(index, &argument.rust_name));
    }
    slots
}

fn argument_slot(index: u16, argument: &Argument) -> Slot {
    let (name, text) = (&argument.rust_name, argument.text());
    let rust = |in_fake| rust_type::argument(&argument.ty, in_fake).unwrap_or_default();
    let reason = if rust_type::has_sizes(&argument.ty) { ", since sizes are symbolic while torch traces" } else { "" };
    Slot {
        name: name.clone(),
        kind: "Argument",
        index,
        ty: rust_type::constant(&argument.ty),
        wants: format!("the schema has `{text}` here; write `{name}: {}`", rust(false)),
        fake_wants: format!("the schema has `{text}` here; a fake takes it as `{name}: {}`{reason}", rust(true)),
    }
}

fn gradient_slot(index: u16, name: String) -> Slot {
    Slot {
        kind: "Gradient",
        index,
        ty: quote!(__torchop::SchemaType::Tensor),
        wants: format!(
            "`{name}` is the gradient of a result; write `{name}: &Tensor` (zeros where undefined) or `{name}: Option<&Tensor>`"
        ),
        fake_wants: String::new(),
        name,
    }
}

fn needs_grad_slot(index: u16, argument: &str) -> Slot {
    let name = format!("needs_grad_{argument}");
    Slot {
        kind: "NeedsGrad",
        index,
        ty: quote!(__torchop::SchemaType::Bool),
        wants: format!("`{name}` says whether the gradient of `{argument}` is wanted; write `{name}: bool`"),
        fake_wants: String::new(),
        name,
    }
}

/// `` `f` takes 2 arguments: Tensor x, float alpha ``
pub(crate) fn takes(operator: &str, schema: &Schema) -> String {
    let arguments: Vec<String> = schema.arguments.iter().map(Argument::text).collect();
    with_list(format!("`{operator}` takes {}", counted(arguments.len(), "argument")), &arguments)
}

/// `` the backward of `f` returns 2 gradients, in this order: x, weight ``
pub(crate) fn gives(operator: &str, schema: &Schema) -> String {
    let tensors: Vec<String> = schema
        .arguments
        .iter()
        .filter(|argument| argument.holds_tensors())
        .map(|argument| argument.name.clone())
        .collect();
    let head = format!("the backward of `{operator}` returns {}", counted(tensors.len(), "gradient"));
    with_list(if tensors.len() > 1 { format!("{head}, in this order") } else { head }, &tensors)
}

fn with_list(head: String, items: &[String]) -> String {
    if items.is_empty() { head } else { format!("{head}: {}", items.join(", ")) }
}

/// `` the schema returns `Tensor`; write `Result<Tensor>` ``
pub(crate) fn returns(schema: &Schema) -> String {
    let rust = rust_type::outputs(schema.outputs.iter().map(|output| &output.ty));
    format!("the schema returns `{}`; write `{rust}`", schema.outputs_text)
}
