//! The function that torch calls: all arguments read at once, the user's function, its results given back.

use crate::op::keys::Key;
use crate::op::model::Callee;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

/// `fn __torchop_call`. `target` is what is called, `give` the function of the runtime that takes its results.
pub(super) fn function(callee: &Callee, target: &TokenStream, give: &str) -> TokenStream {
    let arguments: Vec<Ident> = (0..callee.parameters.len()).map(|index| format_ident!("argument{index}")).collect();
    let types = callee.parameters.iter().map(|parameter| &parameter.ty);
    let give = Ident::new(give, Span::call_site());
    let output = &callee.output;
    quote! {
        fn __torchop_call(
            arguments: __torchop::Arguments<'_>,
            results: __torchop::Results<'_>,
        ) -> __torchop::Result<()> {
            let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
            __torchop::Quiet::<#output>::#give(results, #target(#(#arguments),*))
        }
    }
}

/// `KernelDef`s of the same function, one for each key; `more` is a key and another function.
pub(super) fn kernel_definitions(
    callee: &Callee,
    keys: &[Key],
    dynamic: usize,
    more: Option<(&str, &str)>,
) -> TokenStream {
    let dynamic = dynamic as u16;
    let (path, location) = (path(callee), location());
    let keys = keys.iter().map(|key| (key.torch, "__torchop_call")).chain(more);
    let (keys, calls): (Vec<_>, Vec<_>) =
        keys.map(|(key, call)| (key.to_owned(), Ident::new(call, Span::call_site()))).unzip();
    quote! {
        &[#(__torchop::KernelDef { key: #keys, call: #calls, dynamic: #dynamic, path: #path, location: #location }),*]
    }
}

/// No second kernel for a key: coherence refuses it, and names both places.
pub(super) fn no_second_kernel(op: &TokenStream, keys: &[Key]) -> TokenStream {
    let claims = keys.iter().map(|key| {
        let span = key.span.resolved_at(Span::call_site());
        let key = Ident::new(key.torch, span);
        quote_spanned!(span=> impl __torchop::KernelFor<__torchop::key::#key> for #op {})
    });
    claims.collect()
}

/// The user's function, for messages.
pub(super) fn path(callee: &Callee) -> TokenStream {
    let name = callee.name.unraw().to_string();
    quote!(::core::concat!(::core::module_path!(), "::", #name))
}

pub(super) fn location() -> TokenStream {
    quote!(__torchop::Location { file: ::core::file!(), line: ::core::line!() })
}
