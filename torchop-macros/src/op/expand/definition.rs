//! `#[torch_op(schema = …)]`

use super::names::OpConstants;
use super::{checks, handle, hidden_block, trampoline};
use crate::crate_path::refuse_panic_abort;
use crate::op::model::Definition;
use crate::op::slots;
use crate::schema::rust_type;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;

pub(super) fn expand(definition: &Definition) -> TokenStream {
    let Definition { schema, keys, handle, function, callee, .. } = definition;
    let op = handle.to_token_stream();
    let target = quote_spanned!(callee.name_span()=> <#op>::kernel);
    let content: TokenStream = [
        statics(definition),
        constants(definition).expand(),
        checks::names(&op),
        checks::types(callee, "kernel_argument"),
        checks::definition_returns(callee, &op),
        checks::callable(callee, &op),
        checks::used(callee, function),
        trampoline::function(callee, &target, "give"),
        trampoline::no_second_kernel(&op, keys),
        entry(definition),
        refuse_panic_abort(),
    ]
    .into_iter()
    .collect();
    let handle_type = handle::handle_type(handle, function, callee);
    let kernel = handle::kernel(handle, function, callee);
    let dispatching = handle::dispatching_function(handle, function, callee, &schema.text);
    let block = hidden_block(callee, &content);
    quote!(#handle_type #kernel #dispatching #block)
}

/// The definition has one address, which is its identity.
fn statics(definition: &Definition) -> TokenStream {
    let Definition { schema, tags, .. } = definition;
    let (name, overload, text) = (&schema.name, &schema.overload, &schema.text);
    let arguments = schema.arguments.iter().map(|argument| &argument.name);
    let tensor_arguments = tensor_arguments(definition);
    let returns = u16::try_from(schema.outputs.len()).unwrap_or(u16::MAX);
    let location = trampoline::location();
    quote! {
        static __TORCHOP_DEF: __torchop::OpDef = __torchop::OpDef {
            name: #name,
            overload: #overload,
            schema: #text,
            arguments: &[#(#arguments),*],
            tensor_arguments: &[#(#tensor_arguments),*],
            written_arguments: &[],
            returns: #returns,
            tags: &[#(#tags),*],
            location: #location,
            handle: __torchop::OpHandle::new(),
        };
    }
}

fn tensor_arguments(definition: &Definition) -> Vec<u16> {
    let arguments = (0..).zip(&definition.schema.arguments);
    arguments.filter(|(_, argument)| argument.holds_tensors()).map(|(index, _)| index).collect()
}

fn constants(definition: &Definition) -> OpConstants<'_> {
    let Definition { schema, handle, slots, .. } = definition;
    let operator = handle.unraw().to_string();
    let (count, gradients) = (schema.arguments.len(), tensor_arguments(definition).len());
    OpConstants {
        handle,
        slots,
        count: quote!(#count),
        takes: slots::takes(&operator, schema),
        returns: schema.outputs.iter().map(|output| rust_type::constant(&output.ty)).collect(),
        return_text: slots::returns(schema),
        tensor_arguments: tensor_arguments(definition),
        gradients: quote!(#gradients),
        gives: slots::gives(&operator, schema),
    }
}

/// One entry for the operator and its first kernels: entries cost build time.
fn entry(definition: &Definition) -> TokenStream {
    let table_entry = definition.callee.crate_path.table_entry();
    let kernels = trampoline::kernel_definitions(&definition.callee, &definition.keys);
    quote! {
        #table_entry
        static __TORCHOP_ENTRY: __torchop::Registration =
            __torchop::Registration::Op { op: &__TORCHOP_DEF, kernels: #kernels };
        __torchop::load_hook!();
    }
}
