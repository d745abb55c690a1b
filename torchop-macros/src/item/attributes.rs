//! Attributes that the macros copy or read: `#[cfg]` and doc comments.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The conditions under which the item exists, to stand on everything that is generated for it: `#[cfg]` as it is, and
/// the `cfg` inside a `#[cfg_attr]`.
pub(crate) fn conditions(attributes: &[Attribute]) -> TokenStream {
    attributes.iter().filter_map(condition).collect()
}

fn condition(attribute: &Attribute) -> Option<TokenStream> {
    if attribute.path().is_ident("cfg") {
        return Some(quote!(#attribute));
    }
    let Meta::List(list) = &attribute.meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let parts = split(list.tokens.clone());
    let (predicate, rest) = parts.split_first()?;
    let conditions: Vec<&TokenStream> = rest.iter().filter(|part| starts_with_cfg(part)).collect();
    (!conditions.is_empty()).then(|| quote!(#[cfg_attr(#predicate, #(#conditions),*)]))
}

fn starts_with_cfg(part: &TokenStream) -> bool {
    matches!(part.clone().into_iter().next(), Some(TokenTree::Ident(name)) if name == "cfg")
}

fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts
}

/// The doc comment's text, its lines joined.
pub(crate) fn documentation(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(doc_line).collect();
    lines.join("\n").trim_end().to_owned()
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    if !pair.path.is_ident("doc") {
        return None;
    }
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
    let text = text.value();
    // A block comment arrives as one attribute of many lines.
    let lines = text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Whether the attribute is about how the item may be used, and so belongs to the function that users call.
pub(crate) fn is_for_callers(attribute: &Attribute) -> bool {
    ["doc", "deprecated", "must_use"].iter().any(|name| attribute.path().is_ident(name))
}

/// Whether it is `#[torch_op]`, by any path.
pub(crate) fn is_torch_op(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "torch_op")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn conditions_are_found_inside_cfg_attr() {
        let attributes: Vec<Attribute> = vec![
            parse_quote!(#[inline]),
            parse_quote!(#[cfg(unix)]),
            parse_quote!(#[cfg_attr(test, cold, cfg(any(a, b)))]),
            parse_quote!(#[cfg_attr(test, cold)]),
        ];
        let expected = quote!(#[cfg(unix)] #[cfg_attr(test, cfg(any(a, b)))]);
        assert_eq!(conditions(&attributes).to_string(), expected.to_string());
    }

    #[test]
    fn doc_lines_are_joined() {
        let attributes: Vec<Attribute> =
            vec![parse_quote!(#[doc = " One."]), parse_quote!(#[doc = ""]), parse_quote!(#[doc = "  Two."])];
        assert_eq!(documentation(&attributes), "One.\n\n Two.");
    }
}
