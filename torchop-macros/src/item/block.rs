//! An impl block: its functions by signature, everything else as it is.

use super::function::Function;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Generics, Token, Type, Visibility};

/// An impl block.
pub(crate) struct Block {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    /// The trait of `impl Trait for T`.
    pub(crate) of_trait: Option<TokenStream>,
    pub(crate) ty: Type,
    inner_attributes: Vec<Attribute>,
    pub(crate) items: Vec<Item>,
}

/// What stands in a block.
pub(crate) enum Item {
    Function(Box<Function>),
    /// Constants, types, macro calls, half-typed things.
    Other(TokenStream),
}

impl Block {
    pub(crate) fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Function(function) => Some(&mut **function),
            Item::Other(_) => None,
        })
    }
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Token![impl]>()?;
        let mut generics: Generics = input.parse()?;
        let mut ty: Type = input.parse()?;
        let mut of_trait = None;
        if input.peek(Token![for]) {
            input.parse::<Token![for]>()?;
            of_trait = Some(ty.to_token_stream());
            ty = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let body: Group = input.parse()?;
        if body.delimiter() != Delimiter::Brace {
            return Err(syn::Error::new(body.span(), "expected `{`"));
        }
        let (inner_attributes, items) = Parser::parse2(parse_body, body.stream())?;
        Ok(Block { attributes, generics, of_trait, ty, inner_attributes, items })
    }
}

fn parse_body(input: ParseStream<'_>) -> syn::Result<(Vec<Attribute>, Vec<Item>)> {
    let inner = input.call(Attribute::parse_inner)?;
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(if starts_function(input) {
            Item::Function(input.parse()?)
        } else {
            Item::Other(parse_other(input)?)
        });
    }
    Ok((inner, items))
}

fn starts_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.call(Attribute::parse_outer).is_ok()
        && ahead.parse::<Visibility>().is_ok()
        && ahead.parse::<syn::Signature>().is_ok()
        && ahead.parse::<TokenTree>().is_ok()
}

/// Up to `;` or a brace group, which end an item.
fn parse_other(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        tokens.extend([token]);
        if ends {
            break;
        }
    }
    Ok(tokens)
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Block { attributes, generics, of_trait, ty, inner_attributes, items } = self;
        let of_trait = of_trait.as_ref().map(|path| quote!(#path for));
        let where_clause = &generics.where_clause;
        let items = items.iter().map(|item| match item {
            Item::Function(function) => function.to_token_stream(),
            Item::Other(tokens) => tokens.clone(),
        });
        tokens.extend(quote! {
            #(#attributes)* impl #generics #of_trait #ty #where_clause { #(#inner_attributes)* #(#items)* }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_out_as_it_went_in() {
        let text = quote! {
            #[allow(dead_code)]
            impl<T> a::B<T> where T: Copy {
                #![allow(unused)]
                const F: fn() = { f };
                /// Doc.
                #[inline] pub(crate) fn f(&self) -> T { self. }
                type X = u8;
                m!{}
                fn g() {}
            }
        };
        let block: syn::Result<Block> = syn::parse2(text.clone());
        assert_eq!(block.map(|block| block.to_token_stream().to_string()).unwrap_or_default(), text.to_string());
    }
}
