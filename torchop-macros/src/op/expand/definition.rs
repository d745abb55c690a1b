//! `#[torch_op(schema = …)]` and `#[torch_op(name = …)]`

use super::description::{Description, Policies};
use super::{checks, handle, hidden_block, trampoline};
use crate::crate_path::refuse_panic_abort;
use crate::op::keys::{self, Key};
use crate::op::model::{Definition, Like};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

pub(super) fn expand(definition: &Definition) -> TokenStream {
    let Definition {
        keys,
        tags,
        handle,
        function,
        callee,
        nondifferentiable,
        autocast,
        foreign,
        effectful,
        is_pointwise,
        ..
    } = definition;
    let description = Description::new(definition);
    let op = handle.to_token_stream();
    let target = quote_spanned!(callee.name_span()=> <#op>::kernel);
    let content: TokenStream = [
        description.expand(
            handle,
            &Policies {
                foreign: *foreign,
                effectful: *effectful,
                tags,
                nondifferentiable,
                autocast,
                is_pointwise: *is_pointwise,
            },
            &trampoline::location(),
        ),
        checks::names(&op),
        description.checks.clone(),
        checks::callable(callee, &op),
        checks::used(callee, function),
        trampoline::function(callee, &target, "give"),
        trampoline::no_second_kernel(&op, keys),
        checks::reached(&op, keys),
        like(definition, &op),
        entry(definition),
        refuse_panic_abort(),
    ]
    .into_iter()
    .collect();
    let handle_type = handle::handle_type(handle, function, callee);
    let kernel = handle::kernel(handle, function, callee);
    let dispatching = handle::dispatching_function(handle, function, callee, description.text.as_deref());
    let block = hidden_block(callee, &content);
    quote!(#handle_type #kernel #dispatching #block)
}

/// The fake of `fake = like(x)`, and that both sides are tensors.
fn like(definition: &Definition, op: &TokenStream) -> TokenStream {
    let Some(Like { index, argument }) = &definition.like else { return TokenStream::new() };
    let output = &definition.callee.output;
    let place = argument.span().resolved_at(Span::call_site());
    let types = definition.callee.parameters.get(*index).map(|parameter| parameter.schema_type());
    let returns = quote_spanned!(place=> __torchop::Quiet::<#output>::TYPES);
    let check = quote_spanned!(place=> const _: () = __torchop::like_of(#types, #returns););
    let only = trampoline::no_second_kernel(op, &[Key::meta(argument.span())]);
    quote! {
        fn __torchop_like(
            arguments: __torchop::Arguments<'_>,
            results: __torchop::Results<'_>,
        ) -> __torchop::Result<()> {
            __torchop::give_like(arguments, #index, results)
        }
        #check
        #only
    }
}

/// One entry for the operator and its first kernels: entries cost build time.
fn entry(definition: &Definition) -> TokenStream {
    let table_entry = definition.callee.crate_path.table_entry();
    let like = definition.like.as_ref().map(|_| (keys::META, "__torchop_like"));
    let kernels = trampoline::kernel_definitions(&definition.callee, &definition.keys, 0, like);
    quote! {
        #table_entry
        static __TORCHOP_ENTRY: __torchop::Registration =
            __torchop::Registration::Op { op: &__TORCHOP_DEF, kernels: #kernels };
        __torchop::load_hook!();
    }
}
