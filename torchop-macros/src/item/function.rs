//! A function: signature parsed, body kept as it is.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, ReturnType, Signature, Visibility};

/// `syn::ItemFn` would parse the body: slow, and `{ x. }` would lose the item in an editor.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenTree,
}

impl Function {
    pub(crate) fn has_body(&self) -> bool {
        matches!(&self.body, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    }

    /// The return type, `()` where none is written.
    pub(crate) fn output(&self) -> TokenStream {
        match &self.signature.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => ty.to_token_stream(),
        }
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Function {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Function { attributes, visibility, signature, body } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #signature #body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_typed_body_keeps_the_item() {
        let text = "/// Doc.\npub(crate) fn f(x: &Tensor) -> Result<Tensor> { x. }";
        assert!(syn::parse_str::<syn::ItemFn>(text).is_err());
        let parsed: syn::Result<Function> = syn::parse_str(text);
        assert!(parsed.is_ok_and(|function| function.has_body()));
    }
}
