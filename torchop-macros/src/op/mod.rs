//! `#[torch_op]`

mod arguments;
mod check;
mod expand;
mod keys;
mod model;
mod options;
mod slots;
mod tags;

use crate::errors::Errors;
use crate::item::function::Function;
use crate::item::parameter;
use check::Checked;
use model::Op;
use options::{Options, RoleKind};
use proc_macro2::TokenStream;
use quote::quote;

/// Parse, model, check, expand.
pub(crate) fn torch_op(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let error = syn::Error::new_spanned(&item, "`#[torch_op]` belongs on a function").into_compile_error();
            return quote!(#item #error);
        }
    };
    let errors = Errors::new();
    let options = options::parse(options, &errors);
    parameter::take_options(&mut function.signature, &errors);
    let checked = check::Checked::new(&function, &errors);
    let model = check::model(&options, &checked, &errors);
    match (errors.finish(), model) {
        (None, Some(model)) => expand::op(&model, &function),
        (errors, model) => in_error(&options, &checked, model.as_ref(), &errors.unwrap_or_default()),
    }
}

/// The item with its handle, so that what refers to it has nothing to say.
fn in_error(options: &Options, checked: &Checked<'_>, model: Option<&Op>, errors: &TokenStream) -> TokenStream {
    let function = checked.function;
    let is_definition = options.role.as_ref().is_some_and(|role| matches!(role.kind, RoleKind::Definition(_)));
    let handle = check::handle(options, function);
    // In an impl block no type can stand beside it.
    let in_a_block = function.signature.receiver().is_some();
    if !is_definition || in_a_block || check::hides_a_type(&handle) {
        return quote!(#errors #function);
    }
    let schema = match model {
        Some(Op::Definition(definition)) => Some(&definition.schema),
        _ => None,
    };
    let broken = expand::Broken {
        handle: &handle,
        function,
        callee: &checked.callee(options),
        schema,
        callable: checked.callable,
    };
    let handle = broken.expand();
    quote!(#errors #handle)
}
