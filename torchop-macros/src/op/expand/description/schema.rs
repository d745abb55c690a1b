//! A definition with a schema: the schema says it all.

use super::slot::{Slot, Texts, add_free, gradient_name, needs_grad};
use super::{Description, with_list};
use crate::op::expand::checks;
use crate::op::model::Definition;
use crate::schema::{Argument, Schema, rust_type};
use crate::text::counted;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

pub(super) fn describe(definition: &Definition, schema: &Schema) -> Description {
    let Definition { callee, handle, .. } = definition;
    let operator = handle.unraw().to_string();
    let text = &schema.text;
    let positions = |which: fn(&Argument) -> bool| -> Vec<u16> {
        let arguments = (0..).zip(&schema.arguments);
        arguments.filter(|(_, argument)| which(argument)).map(|(index, _)| index).collect()
    };
    let (tensors, written) = (positions(Argument::holds_tensors), positions(|argument| argument.is_written));
    let (count, gradients, writes) = (schema.arguments.len(), tensors.len(), !written.is_empty());
    let results = u16::try_from(schema.outputs.len()).unwrap_or(u16::MAX);
    let returns = schema.outputs.iter().map(|output| rust_type::constant(&output.ty));
    let types = || schema.outputs.iter().map(|output| &output.ty);
    let return_text = |in_fake| {
        format!("the schema returns `{}`; write `{}`", schema.outputs_text, rust_type::outputs(types(), in_fake))
    };
    Description {
        items: TokenStream::new(),
        checks: [
            checks::types(callee, "kernel_argument"),
            checks::definition_returns(callee, &handle.to_token_stream()),
            checks::words(callee, schema),
            checks::lengths(callee, schema),
        ]
        .into_iter()
        .collect(),
        text: Some(schema.printed.clone()),
        name: schema.name.clone(),
        overload: schema.overload.clone(),
        schema: quote!(__torchop::SchemaDef::Text(#text)),
        arguments: schema.arguments.iter().map(|argument| argument.name.clone()).collect(),
        tensor_arguments: quote!(&[#(#tensors),*]),
        without_tensors: tensors.is_empty().then(|| quote!(true)),
        written_arguments: quote!(&[#(#written),*]),
        writes: quote!(#writes),
        slots: slots(schema),
        count: quote!(#count),
        takes: takes(&operator, schema),
        result_count: quote!(#results),
        returns: quote!(&[#(#returns),*]),
        return_text: return_text(false),
        fake_return_text: return_text(true),
        gradients: quote!(#gradients),
        gives: gives(&operator, schema),
    }
}

fn slots(schema: &Schema) -> Vec<Slot> {
    let mut slots: Vec<Slot> =
        (0..).zip(&schema.arguments).map(|(index, argument)| argument_slot(index, argument)).collect();
    let is_argument = |name: &str| schema.arguments.iter().any(|argument| argument.rust_name == name);
    for (index, output) in (0..).zip(&schema.outputs) {
        let (name, ty) = (&output.rust_name, &output.ty);
        let rust = rust_type::argument(ty, false).unwrap_or_default();
        let wants = format!("`{name}` is a result, `{ty}` in the schema; write `{name}: {rust}`");
        let texts = Texts { wants, ..Texts::default() };
        let result = Slot::new(name, "Output", index, &rust_type::constant(ty), &texts);
        add_free(&mut slots, [result, Slot::gradient(index, &gradient_name(name, is_argument))]);
    }
    for (index, argument) in (0..).zip(&schema.arguments).filter(|(_, argument)| argument.holds_tensors()) {
        let (name, wants) = needs_grad(&argument.rust_name);
        let texts = Texts { wants, ..Texts::default() };
        add_free(&mut slots, [Slot::new(&name, "NeedsGrad", index, &quote!(__torchop::SchemaType::Bool), &texts)]);
    }
    slots
}

fn argument_slot(index: u16, argument: &Argument) -> Slot {
    let (name, text) = (&argument.rust_name, argument.text());
    let written = if argument.is_written { ", which is written to" } else { "" };
    let instead = if argument.is_written {
        format!(", or `{} {}` in the schema", argument.ty, argument.name)
    } else {
        String::new()
    };
    let reason = match argument.is_written {
        true => ", since there is nothing to write to",
        false if rust_type::has_sizes(&argument.ty) => ", since sizes are symbolic while torch traces",
        false => "",
    };
    let texts = Texts {
        wants: format!("the schema has `{text}` here{written}; write `{name}: {}`{instead}", argument.rust(false)),
        fake_wants: format!(
            "the schema has `{text}` here; a fake takes it as `{name}: {}`{reason}",
            argument.rust(true)
        ),
        unwritten: unwritten(argument),
    };
    Slot::new(name, "Argument", index, &argument.constant(), &texts)
}

/// For tensors alone; others cannot be written to in any case.
fn unwritten(argument: &Argument) -> String {
    let mark = match &argument.ty {
        torchop_schema::Type::Tensor => "",
        torchop_schema::Type::Optional(inner) if **inner == torchop_schema::Type::Tensor => "?",
        _ => return String::new(),
    };
    let (name, text) = (&argument.rust_name, argument.text());
    format!(
        "the schema has `{text}` here, which is not written to; write `{name}: {}`, or `Tensor(a!){mark} {}` in the schema",
        argument.rust(false),
        argument.name
    )
}

/// `` `f` takes 2 arguments: Tensor x, float alpha ``
fn takes(operator: &str, schema: &Schema) -> String {
    let arguments: Vec<&str> = schema.arguments.iter().map(Argument::text).collect();
    with_list(format!("`{operator}` takes {}", counted(arguments.len(), "argument")), &arguments)
}

/// `` the backward of `f` returns 2 gradients, in this order: x, weight ``
fn gives(operator: &str, schema: &Schema) -> String {
    let tensors = schema.arguments.iter().filter(|argument| argument.holds_tensors());
    let tensors: Vec<&str> = tensors.map(|argument| argument.name.as_str()).collect();
    let head = format!("the backward of `{operator}` returns {}", counted(tensors.len(), "gradient"));
    with_list(if tensors.len() > 1 { format!("{head}, in this order") } else { head }, &tensors)
}
