//! `#[torch_op(kernel_of = …)]` and `#[torch_op(fake_of = …)]`

use super::{checks, hidden_block, trampoline};
use crate::op::model::Kernels;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

pub(super) fn expand(kernels: &Kernels) -> TokenStream {
    let Kernels { of, keys, is_fake, callee, dynamic } = kernels;
    let op = of.to_token_stream();
    let name = &callee.name;
    let target = quote_spanned!(callee.name_span()=> #name);
    let table_entry = callee.crate_path.table_entry();
    let definitions = trampoline::kernel_definitions(callee, keys, dynamic.len(), None);
    let plain = &kernels.without_dynamic();
    let sizes = dynamic.iter().map(|parameter| {
        let ty = parameter.schema_type();
        quote_spanned!(parameter.type_span()=> const _: () = __torchop::dynamic_size(#ty);)
    });
    let definition = checks::op_constant(&op, "DEF");
    let entry = quote! {
        #table_entry
        static __TORCHOP_ENTRY: __torchop::Registration =
            __torchop::Registration::Kernels { op: #definition, kernels: #definitions };
    };
    let (arguments, returns) =
        if *is_fake { ("fake_argument", "fake_returns") } else { ("kernel_argument", "returns") };
    let content: TokenStream = [
        checks::names(&op),
        checks::count(plain, &op),
        checks::types(plain, arguments),
        checks::order(plain),
        sizes.collect(),
        checks::kernel_returns(callee, &op, returns),
        trampoline::function(callee, &target, "give"),
        trampoline::no_second_kernel(&op, keys),
        if *is_fake { TokenStream::new() } else { checks::reached(&op, keys) },
        entry,
    ]
    .into_iter()
    .collect();
    hidden_block(callee, &content)
}
