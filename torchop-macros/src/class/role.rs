//! The attributes on functions in a `#[torch_class]` block.

use crate::errors::Errors;
use crate::item::function::Function;
use proc_macro2::Ident;
use syn::{Attribute, Meta};

/// What a function in the block is for.
#[derive(Clone)]
pub(crate) enum Role {
    Init,
    Getter,
    /// Writes the property of that name, or of its own name without `set_`.
    Setter(Option<Ident>),
    Static,
    Method,
    /// Stands for the method of that name while torch traces.
    Fake(Ident),
    /// Not torch's business, or in error.
    Skip,
}

const MARKS: [&str; 10] =
    ["init", "getter", "setter", "static_method", "fake", "getstate", "setstate", "flatten", "unflatten", "skip"];

/// Takes the marks off the function, which rustc would not know, and reads them.
pub(crate) fn take(function: &mut Function, errors: &Errors) -> Role {
    let is_mark =
        |attribute: &Attribute| attribute.path().get_ident().is_some_and(|name| MARKS.iter().any(|mark| name == mark));
    let (marks, others) = function.attributes.drain(..).partition(is_mark);
    function.attributes = others;
    let marks: Vec<Attribute> = marks;
    let Some((first, more)) = marks.split_first() else { return Role::Method };
    for second in more {
        errors.at(second, "a function has one of these attributes\nwrite a function for each");
    }
    read(first, errors)
}

fn read(mark: &Attribute, errors: &Errors) -> Role {
    let name = mark.path().get_ident().map_or_else(String::new, Ident::to_string);
    match name.as_str() {
        "fake" => return read_fake(mark, errors),
        "setter" => return read_setter(mark, errors),
        "init" | "getter" | "static_method" | "skip" => {}
        later => errors.at(mark, format!("`#[{later}]` is not supported yet")),
    }
    if !matches!(mark.meta, Meta::Path(_)) {
        errors.at(&mark.meta, format!("`#[{name}]` takes no options"));
    }
    match name.as_str() {
        "init" => Role::Init,
        "getter" => Role::Getter,
        "static_method" => Role::Static,
        _ => Role::Skip,
    }
}

/// `#[setter]`, `#[setter(property)]`
fn read_setter(mark: &Attribute, errors: &Errors) -> Role {
    match &mark.meta {
        Meta::Path(_) => Role::Setter(None),
        Meta::List(list) if syn::parse2::<Ident>(list.tokens.clone()).is_ok() => {
            Role::Setter(syn::parse2(list.tokens.clone()).ok())
        }
        other => {
            errors.at(other, "a setter names its property, or is called `set_property`: `#[setter(property)]`");
            Role::Skip
        }
    }
}

fn read_fake(mark: &Attribute, errors: &Errors) -> Role {
    let method = match &mark.meta {
        Meta::List(list) => syn::parse2::<Ident>(list.tokens.clone()).ok(),
        _ => None,
    };
    method.map_or_else(
        || {
            errors.at(&mark.meta, "a fake names its method: `#[fake(method)]`");
            Role::Skip
        },
        Role::Fake,
    )
}
