//! The parameters of a function: names, types and `#[torch(…)]`.

use crate::attribute_list;
use crate::errors::Errors;
use crate::names;
use crate::text::{did_you_mean, listed};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Meta, Pat, Signature, Type};

/// One parameter.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// As the schema or the method knows it: `_x` is `x` here.
    pub(crate) name: Ident,
    /// As it is written.
    pub(crate) written: Ident,
    pub(crate) ty: Type,
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

    /// The place of the name, likewise.
    pub(crate) fn name_span(&self) -> Span {
        self.name.span().resolved_at(Span::call_site())
    }
}

/// The named parameters of `signature`, without the receiver; reports those without a name.
pub(crate) fn parameters(signature: &Signature, errors: &Errors) -> Vec<Parameter> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let named = typed.filter_map(|typed| match &*typed.pat {
        Pat::Ident(pattern) if pattern.subpat.is_none() => Some(Parameter {
            name: names::canonical_identifier(&pattern.ident),
            written: pattern.ident.clone(),
            ty: (*typed.ty).clone(),
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

const OPTIONS: [&str; 2] = ["default", "int"];

/// Takes `#[torch(…)]` off the parameters, which rustc would not know, and checks it.
pub(crate) fn take_options(signature: &mut Signature, errors: &Errors) {
    for input in &mut signature.inputs {
        let attributes = match input {
            FnArg::Typed(typed) => &mut typed.attrs,
            FnArg::Receiver(receiver) => &mut receiver.attrs,
        };
        let (ours, others) = attributes.drain(..).partition(|attribute| attribute.path().is_ident("torch"));
        *attributes = others;
        let ours: Vec<Attribute> = ours;
        ours.iter().for_each(|attribute| check_options(attribute, errors));
    }
}

fn check_options(attribute: &Attribute, errors: &Errors) {
    let Meta::List(list) = &attribute.meta else {
        errors.at(attribute, format!("`#[torch]` needs an option, one of {}", listed(OPTIONS)));
        return;
    };
    for option in attribute_list::entries(list.tokens.clone(), errors) {
        match option.text().as_str() {
            "default" => errors.at(
                &option.name,
                "`default` is for schemas that are inferred, which are not supported yet\nwrite it in the schema: `float alpha=1.0`",
            ),
            "int" => errors.at(
                &option.name,
                "`int` is for schemas that are inferred, which are not supported yet\nwrite it in the schema: `int n`",
            ),
            other => errors.at(
                &option.name,
                format!("unknown option `{other}`, expected one of {}{}", listed(OPTIONS), did_you_mean(other, OPTIONS)),
            ),
        }
    }
}
