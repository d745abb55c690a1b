//! The arguments of a definition: the same names in the schema and in the function, in the same order.
//!
//! Their types are compared by rustc, in a `const` (see `expand/checks.rs`): a macro cannot know what a type is.

use crate::errors::Errors;
use crate::item::parameter::Parameter;
use crate::schema::{Argument, Schema};
use quote::quote;
use syn::Signature;
use syn::ext::IdentExt;

/// Reports where schema and function disagree.
///
/// ```text
/// schema f(Tensor x, float alpha) and fn f(x: &Tensor)            missing
/// schema f(Tensor x)              and fn f(x: &Tensor, y: f64)    extra
/// schema f(Tensor x)              and fn f(input: &Tensor)        renamed
/// schema f(Tensor x, float alpha) and fn f(alpha: f64, x: &Tensor)  out of order
/// ```
pub(crate) fn compare(schema: &Schema, signature: &Signature, parameters: &[Parameter], errors: &Errors) {
    let in_function = |argument: &Argument| parameters.iter().any(|parameter| name(parameter) == argument.rust_name);
    let in_schema =
        |parameter: &Parameter| schema.arguments.iter().any(|argument| argument.rust_name == name(parameter));
    let mut agree = true;
    for index in 0..schema.arguments.len().max(parameters.len()) {
        let missing = schema.arguments.get(index).filter(|argument| !in_function(argument));
        let extra = parameters.get(index).filter(|parameter| !in_schema(parameter));
        agree &= missing.is_none() && extra.is_none();
        match (missing, extra) {
            (Some(argument), Some(parameter)) => errors.at(
                &parameter.written,
                format!(
                    "argument {index} is `{}` in the schema, `{}` in the function\nwrite `{}: {}`",
                    argument.name, parameter.written, argument.rust_name, argument.rust(false)
                ),
            ),
            (Some(argument), None) => report_missing(argument, index, signature, parameters, errors),
            (None, Some(parameter)) => errors.at(
                &parameter.written,
                format!(
                    "argument `{}` is in the function but not in the schema\nadd it to the schema, or take it out of the function",
                    parameter.written
                ),
            ),
            (None, None) => {}
        }
    }
    if agree {
        compare_order(schema, parameters, errors);
    }
}

fn report_missing(argument: &Argument, index: usize, signature: &Signature, parameters: &[Parameter], errors: &Errors) {
    let head = format!("argument `{}` is in the schema but not in the function", argument.name);
    let add = format!("add `{}: {}`", argument.rust_name, argument.rust(false));
    match parameters.get(..index).and_then(<[Parameter]>::last) {
        Some(before) => {
            let (written, ty) = (&before.written, &before.ty);
            errors.at(quote!(#written #ty), format!("{head}\n{add} after `{written}`"));
        }
        None if parameters.is_empty() || index > 0 => {
            errors.at_span(signature.paren_token.span.join(), format!("{head}\n{add}"))
        }
        None => errors.at_span(signature.paren_token.span.join(), format!("{head}\n{add} as first argument")),
    }
}

fn compare_order(schema: &Schema, parameters: &[Parameter], errors: &Errors) {
    let wrong =
        schema.arguments.iter().zip(parameters).find(|(argument, parameter)| argument.rust_name != name(parameter));
    if let Some((argument, parameter)) = wrong {
        let order: Vec<&str> = schema.arguments.iter().map(|argument| argument.rust_name.as_str()).collect();
        errors.at(
            &parameter.written,
            format!(
                "argument `{}` is out of the schema's order, where `{}` stands here\nthe order is: {}",
                parameter.written,
                argument.name,
                order.join(", ")
            ),
        );
    }
}

fn name(parameter: &Parameter) -> String {
    parameter.name.unraw().to_string()
}
