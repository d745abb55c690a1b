//! `#[torch_op(jvp_of = …)]` and `#[torch_op(batch_of = …)]`

use super::{checks, hidden_block, trampoline};
use crate::item::parameter::Parameter;
use crate::names::identifier;
use crate::op::keys::Key;
use crate::op::model::{Transform, TransformKind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

pub(super) fn expand(transform: &Transform) -> TokenStream {
    let Transform { kind, of, callee } = transform;
    let op = of.to_token_stream();
    let name = &callee.name;
    let target = quote_spanned!(callee.name_span()=> #name);
    let (role, give) = match kind {
        TransformKind::Jvp => ("Jvp", "give_gradients"),
        TransformKind::Batch => ("Batch", "give"),
    };
    let claim = Key { torch: role, span: name.span() };
    let parameters: Vec<Checked> = callee.parameters.iter().map(|parameter| check(*kind, parameter)).collect();
    let content: TokenStream = [
        checks::names(&op),
        possible(&op),
        parameters.iter().map(|parameter| parameter.check.clone()).collect(),
        returns(transform, &op),
        trampoline::function(callee, &target, give),
        trampoline::no_second_kernel(&op, &[claim]),
        entry(transform, &op, &parameters),
    ]
    .into_iter()
    .collect();
    hidden_block(callee, &content)
}

/// A parameter: the assertion about its type, and what it asks for.
struct Checked {
    check: TokenStream,
    need: TokenStream,
}

fn check(kind: TransformKind, parameter: &Parameter) -> Checked {
    let (span, ty, name) = (parameter.type_span(), parameter.schema_type(), parameter.name.unraw().to_string());
    let of = |prefix: &str| name.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    let slot_of = |argument: &str| checks::slot(&identifier(argument, parameter.name.span()));
    let checked = |function: &str, slot: TokenStream| {
        let function = Ident::new(function, span);
        quote_spanned!(span=> const _: () = __torchop::#function(#ty, #slot);)
    };
    match (kind, of("tangent_"), of("is_batched_")) {
        (TransformKind::Jvp, Some(argument), _) => {
            let slot = slot_of(argument);
            Checked {
                check: checked("jvp_tangent", slot.clone()),
                need: quote!(__torchop::jvp_tangent_need(#ty, #slot)),
            }
        }
        (TransformKind::Batch, _, Some(argument)) => {
            let slot = slot_of(argument);
            Checked { check: checked("batch_flag", slot.clone()), need: quote!(__torchop::batch_flag_need(#slot)) }
        }
        (TransformKind::Batch, ..) if name == "batch_size" => Checked {
            check: quote_spanned!(span=> const _: () = __torchop::batch_size(#ty);),
            need: quote!(__torchop::batch_size_need()),
        },
        (TransformKind::Jvp, ..) => {
            let slot = checks::slot(&parameter.name);
            Checked { check: checked("jvp_argument", slot.clone()), need: quote!(__torchop::jvp_need(#slot)) }
        }
        (TransformKind::Batch, ..) => {
            let slot = checks::slot(&parameter.name);
            Checked { check: checked("batch_argument", slot.clone()), need: quote!(__torchop::batch_need(#slot)) }
        }
    }
}

fn possible(op: &TokenStream) -> TokenStream {
    let (place, writes) = (op.span().resolved_at(Span::call_site()), checks::op_constant(op, "WRITES"));
    quote_spanned!(place=> const _: () = __torchop::transform_possible(#writes);)
}

/// A jvp function gives a tangent for each result, a rule for vmap the results.
fn returns(transform: &Transform, op: &TokenStream) -> TokenStream {
    let Transform { kind, callee, .. } = transform;
    match kind {
        TransformKind::Batch => checks::kernel_returns(callee, op, "returns"),
        TransformKind::Jvp => {
            let (output, count) = (&callee.output, checks::op_constant(op, "COUNT"));
            let results = checks::op_constant(op, "RETURNS");
            quote_spanned! {callee.output_span=>
                const _: () = __torchop::jvp_gives(<#output as __torchop::Gradients>::COUNT, #count, #results.len());
            }
        }
    }
}

fn entry(transform: &Transform, op: &TokenStream, parameters: &[Checked]) -> TokenStream {
    let Transform { kind, callee, .. } = transform;
    let (field, role, def) = match kind {
        TransformKind::Jvp => ("jvp", "Jvp", "JvpDef"),
        TransformKind::Batch => ("batch", "Batch", "BatchDef"),
    };
    let [field, role, def] = [field, role, def].map(|name| Ident::new(name, Span::call_site()));
    let needs = parameters.iter().map(|parameter| &parameter.need);
    let definition = checks::op_constant(op, "DEF");
    let (path, location, table_entry) =
        (trampoline::path(callee), trampoline::location(), callee.crate_path.table_entry());
    quote! {
        #table_entry
        static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::#role {
            op: #definition,
            #field: __torchop::#def { call: __torchop_call, needs: &[#(#needs),*], path: #path, location: #location },
        };
    }
}
