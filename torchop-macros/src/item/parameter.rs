//! The parameters of a function: names, types and `#[torch(…)]`.

use super::parameter_options::ParameterOptions;
use crate::errors::Errors;
use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, Pat, Signature, Type};

/// One parameter.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// As the schema or the method knows it: `_x` is `x` here.
    pub(crate) name: Ident,
    /// As it is written.
    pub(crate) written: Ident,
    pub(crate) ty: Type,
    pub(crate) options: ParameterOptions,
}

impl Parameter {
    /// The place of the type, for generated code: errors show there, and neither lints nor editors take the code for
    /// the user's own.
    pub(crate) fn type_span(&self) -> Span {
        self.ty.span().resolved_at(Span::call_site())
    }

    /// `SchemaType` of the type, at its place.
    pub(crate) fn schema_type(&self) -> TokenStream {
        let ty = &self.ty;
        quote_spanned!(self.type_span()=> <#ty as __torchop::Argument<'_>>::TYPE)
    }

    /// `WORDS` of the type, likewise.
    pub(crate) fn words(&self) -> TokenStream {
        let ty = &self.ty;
        quote_spanned!(self.type_span()=> <#ty as __torchop::Argument<'_>>::WORDS)
    }

    /// `x: &Tensor`, as the user would read it: without the spaces that tokens are printed with.
    pub(crate) fn spelled(&self) -> String {
        format!("{}: {}", self.name.unraw(), spelled(&self.ty))
    }

    /// The default as an `Option<SchemaDefault>`.
    pub(crate) fn default_constant(&self) -> TokenStream {
        match self.options.default_value() {
            Some(value) => {
                let constant = &value.constant;
                quote!(::core::option::Option::Some(#constant))
            }
            None => quote!(::core::option::Option::None),
        }
    }

    /// The place of the name, likewise.
    pub(crate) fn name_span(&self) -> Span {
        self.name.span().resolved_at(Span::call_site())
    }
}

/// A type as the user would read it.
pub(crate) fn spelled(ty: &impl ToTokens) -> String {
    let text = ty.to_token_stream().to_string();
    ["& ", " <", "< ", " >", " ::", ":: ", " ,"].iter().fold(text, |text, spaced| text.replace(spaced, spaced.trim()))
}

/// The named parameters of `signature`, without the receiver, with the options that were taken off its inputs; reports
/// those without a name.
pub(crate) fn parameters(signature: &Signature, options: &[ParameterOptions], errors: &Errors) -> Vec<Parameter> {
    let typed = signature.inputs.iter().zip(options).filter_map(|(input, options)| match input {
        FnArg::Typed(typed) => Some((typed, options)),
        FnArg::Receiver(_) => None,
    });
    let named = typed.filter_map(|(typed, options)| match &*typed.pat {
        Pat::Ident(pattern) if pattern.subpat.is_none() => Some(Parameter {
            name: names::canonical_identifier(&pattern.ident),
            written: pattern.ident.clone(),
            ty: (*typed.ty).clone(),
            options: options.clone(),
        }),
        Pat::Wild(wild) => {
            errors.at(wild, "this argument has no name\nname it `_name` if it is not used");
            None
        }
        other => {
            errors.at(other, "an argument is a name here, not a pattern\nname it and take it apart in the body");
            None
        }
    });
    let named: Vec<Parameter> = named.collect();
    for (index, parameter) in named.iter().enumerate() {
        if named.iter().take(index).any(|before| before.name == parameter.name && before.written != parameter.written) {
            errors.at(
                &parameter.written,
                format!("two arguments are called `{}`: `_x` counts as `x`\nrename one", parameter.name),
            );
        }
    }
    named
}
