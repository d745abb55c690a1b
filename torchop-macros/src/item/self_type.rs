//! `Self` in a method's signature, where the generated code stands outside the impl block.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// `tokens` with `replacement` for each `Self`, at the place of that `Self`.
pub(crate) fn replace_self(tokens: TokenStream, replacement: &TokenStream) -> TokenStream {
    tokens.into_iter().flat_map(|token| replace_in(token, replacement)).collect()
}

fn replace_in(token: TokenTree, replacement: &TokenStream) -> TokenStream {
    match token {
        TokenTree::Ident(ident) if ident == "Self" => at(replacement.clone(), ident.span()),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replace_self(group.stream(), replacement));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    }
}

/// `tokens` at another place.
pub(crate) fn at(tokens: TokenStream, place: Span) -> TokenStream {
    let respan = |mut token: TokenTree| {
        token.set_span(place.resolved_at(token.span()));
        token
    };
    tokens.into_iter().map(respan).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn is_replaced_at_any_depth() {
        let replaced = replace_self(quote!(Option<(&Self, [Self::Item; 2])>), &quote!(a::B));
        assert_eq!(replaced.to_string(), quote!(Option<(&a::B, [a::B::Item; 2])>).to_string());
    }
}
