//! What kinds of functions torch can call: free of generics, `async` and the like.

use crate::errors::Errors;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ReturnType, Safety, Signature};

/// Reports all that makes a function unfit to be called by torch. `what` names it in messages: `an operator`.
/// `most_arguments` counts those after the receiver.
pub(crate) fn check(signature: &Signature, what: &str, most_arguments: usize, errors: &Errors) {
    if let Some(token) = &signature.asyncness {
        errors.at(token, format!("{what} cannot be `async`: torch waits for its result\ntake `async` away"));
    }
    if let Some(token) = &signature.constness {
        errors.at(token, format!("{what} cannot be `const`: torch calls it at run time\ntake `const` away"));
    }
    match &signature.safety {
        Safety::Unsafe(token) => {
            errors.at(token, format!("{what} cannot be `unsafe`: torch calls it with any arguments\ncheck what it relies on inside, in an `unsafe` block"));
        }
        Safety::Safe(token) => errors.at(token, format!("{what} cannot be `safe`: that is for `extern` blocks")),
        _ => {}
    }
    if let Some(token) = &signature.abi {
        errors.at(
            token,
            format!("{what} cannot be `extern`: torchop makes the function that torch calls\ntake `extern` away"),
        );
    }
    let arguments = signature.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_)));
    if let Some(surplus) = arguments.clone().nth(most_arguments) {
        errors.at(surplus, format!("{what} takes at most {most_arguments} arguments, got {}", arguments.count()));
    }
    check_generics(signature, what, errors);
    check_inputs(signature, what, errors);
    if let ReturnType::Type(_, ty) = &signature.output
        && let Some(token) = find_impl(ty.to_token_stream())
    {
        errors.at(
            token,
            format!("{what} cannot return `impl Trait`: torch needs to know the type\nwrite the type itself"),
        );
    }
}

fn check_generics(signature: &Signature, what: &str, errors: &Errors) {
    let generics = &signature.generics;
    let only_lifetimes = generics.params.iter().all(|param| matches!(param, syn::GenericParam::Lifetime(_)));
    if !generics.params.is_empty() {
        let advice = if only_lifetimes {
            "leave the lifetimes out"
        } else {
            "write a function for each type, around a generic one"
        };
        errors.at(&generics.params, format!("{what} cannot be generic\n{advice}"));
    } else if let Some(clause) = &generics.where_clause {
        errors.at(clause, format!("{what} cannot have a `where` clause: it is not generic"));
    }
}

fn check_inputs(signature: &Signature, what: &str, errors: &Errors) {
    for input in &signature.inputs {
        let (attributes, ty) = match input {
            FnArg::Typed(typed) => (&typed.attrs, Some(&typed.ty)),
            FnArg::Receiver(receiver) => (&receiver.attrs, None),
        };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")) {
            errors.at(
                attribute,
                format!("an argument of {what} cannot depend on `#[cfg]`\nput `#[cfg]` on two functions"),
            );
        }
        if let Some(token) = ty.and_then(|ty| find_impl(ty.to_token_stream())) {
            errors.at(
                token,
                format!("{what} cannot take `impl Trait`: torch needs to know the type\nwrite the type itself"),
            );
        }
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, format!("{what} has a fixed number of arguments"));
    }
}

fn find_impl(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == "impl" => Some(ident),
        TokenTree::Group(group) => find_impl(group.stream()),
        _ => None,
    })
}
