//! `#[torch_op(backward_of = …)]`

use super::{checks, hidden_block, trampoline};
use crate::item::parameter::Parameter;
use crate::op::keys::Key;
use crate::op::model::{Backward, Definition};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

pub(super) fn expand(backward: &Backward) -> TokenStream {
    expand_with(backward, &quote!(::core::option::Option::None), &TokenStream::new())
}

/// Of a backward that is an operator: it is called by its name, so that gradients and tracing see the operator.
pub(super) fn expand_op(definition: &Definition, backward: &Backward) -> TokenStream {
    let op = checks::op_constant(&definition.handle.to_token_stream(), "DEF");
    let (output, place) = (&backward.callee.output, backward.callee.output_span);
    let possible =
        quote_spanned!(place=> const _: () = __torchop::gradients_of_an_op(__torchop::Quiet::<#output>::TYPES););
    let mut backward = backward.clone();
    backward.callee.output = quote_spanned!(place=> <#output as __torchop::Returned>::Called);
    expand_with(&backward, &quote!(::core::option::Option::Some(#op)), &possible)
}

fn expand_with(backward: &Backward, itself: &TokenStream, more: &TokenStream) -> TokenStream {
    let Backward { of, callee, .. } = backward;
    let op = of.to_token_stream();
    let name = &callee.name;
    let target = quote_spanned!(callee.name_span()=> #name);
    let claim = Key { torch: "Backward", span: name.span() };
    let content: TokenStream = [
        checks::names(&op),
        possible(&op),
        checks::types(callee, "backward_argument"),
        gradient_checks(backward, &op),
        trampoline::function(callee, &target, "give_gradients"),
        trampoline::no_second_kernel(&op, &[claim]),
        entry(backward, &op, itself),
        more.clone(),
    ]
    .into_iter()
    .collect();
    hidden_block(callee, &content)
}

/// The operator is one that can have a backward.
fn possible(op: &TokenStream) -> TokenStream {
    let (place, writes) = (op.span().resolved_at(Span::call_site()), checks::op_constant(op, "WRITES"));
    quote_spanned!(place=> const _: () = __torchop::backward_possible(#writes);)
}

/// What a parameter asks for: its slot, and whether it is an `Option`.
fn need(parameter: &Parameter) -> TokenStream {
    let (slot, ty) = (checks::slot(&parameter.name), parameter.schema_type());
    quote!(__torchop::need(#ty, #slot))
}

/// As many gradients as there are tensors among the arguments, or as many as are listed.
fn gradient_checks(backward: &Backward, op: &TokenStream) -> TokenStream {
    let Backward { gradients, callee, .. } = backward;
    let output = &callee.output;
    let count = quote_spanned!(callee.output_span=> <#output as __torchop::Gradients>::COUNT);
    let Some(names) = gradients else {
        let (expected, text) = (checks::op_constant(op, "GRADIENTS"), checks::op_constant(op, "GIVES"));
        return quote_spanned!(callee.output_span=> const _: () = __torchop::gives(#count, #expected, #text););
    };
    let (listed, names_count): (TokenStream, usize) = (names.iter().map(differentiable).collect(), names.len());
    quote_spanned! {callee.output_span=>
        const _: () = __torchop::gives_listed(#count, #names_count);
        #listed
    }
}

fn differentiable(name: &Ident) -> TokenStream {
    let slot = checks::slot(name);
    quote_spanned!(name.span().resolved_at(Span::call_site())=> const _: () = __torchop::differentiable(#slot);)
}

fn entry(backward: &Backward, op: &TokenStream, itself: &TokenStream) -> TokenStream {
    let Backward { gradients, callee, .. } = backward;
    let needs = callee.parameters.iter().map(need);
    let definition = checks::op_constant(op, "DEF");
    let gradients = match gradients {
        None => checks::op_constant(op, "TENSOR_ARGUMENTS"),
        Some(names) => {
            let slots = names.iter().map(checks::slot);
            quote!(&[#(#slots.index),*])
        }
    };
    let (path, location, table_entry) =
        (trampoline::path(callee), trampoline::location(), callee.crate_path.table_entry());
    quote! {
        #table_entry
        static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Backward {
            op: #definition,
            backward: __torchop::BackwardDef {
                call: __torchop_call,
                needs: &[#(#needs),*],
                gradients: #gradients,
                op: #itself,
                path: #path,
                location: #location,
            },
        };
    }
}
