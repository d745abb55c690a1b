//! The attributes on functions in a `#[torch_class]` block.

use crate::attribute_list::{self, Like};
use crate::errors::Errors;
use crate::item::function::Function;
use proc_macro2::Ident;
use syn::{Attribute, LitInt, Meta};

/// What a function in the block is for.
#[derive(Clone)]
pub(crate) enum Role {
    Init,
    Getter,
    /// Writes the property of that name, or of its own name without `set_`.
    Setter(Option<Ident>),
    Static,
    Method(MethodFake),
    /// Stands for the method of that name while torch traces.
    Fake(Ident),
    /// Turns objects into values, or values into objects.
    State(StateRole),
    /// Not torch's business, or in error.
    Skip,
}

/// What stands for a method while torch traces, where no function of its own does.
#[derive(Clone)]
pub(crate) enum MethodFake {
    /// What a value of the method's state is, if it is that.
    Unsaid,
    /// A tensor like that argument.
    Like(Ident),
    /// The method itself: it only calls torch's operators.
    Composite,
}

/// A function for pickling or tracing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateRole {
    GetState,
    SetState,
    Flatten,
    Unflatten,
    /// Reads the state of an older version.
    Upgrade(u32),
}

impl StateRole {
    /// As it is written.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            StateRole::GetState => "#[getstate]",
            StateRole::SetState => "#[setstate]",
            StateRole::Flatten => "#[flatten]",
            StateRole::Unflatten => "#[unflatten]",
            StateRole::Upgrade(_) => "#[upgrade]",
        }
    }

    /// Whether it is called on an object.
    pub(crate) fn reads_object(self) -> bool {
        matches!(self, StateRole::GetState | StateRole::Flatten)
    }
}

const MARKS: [&str; 12] = [
    "init",
    "method",
    "getter",
    "setter",
    "static_method",
    "fake",
    "getstate",
    "setstate",
    "flatten",
    "unflatten",
    "upgrade",
    "skip",
];

/// Takes the marks off the function, which rustc would not know, and reads them.
pub(crate) fn take(function: &mut Function, errors: &Errors) -> Role {
    let is_mark =
        |attribute: &Attribute| attribute.path().get_ident().is_some_and(|name| MARKS.iter().any(|mark| name == mark));
    let (marks, others) = function.attributes.drain(..).partition(is_mark);
    function.attributes = others;
    let marks: Vec<Attribute> = marks;
    let Some((first, more)) = marks.split_first() else { return Role::Method(MethodFake::Unsaid) };
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
        "upgrade" => return read_upgrade(mark, errors),
        "method" => return Role::Method(read_method(mark, errors)),
        "init" | "getter" | "static_method" | "skip" | "getstate" | "setstate" | "flatten" | "unflatten" => {}
        later => errors.at(mark, format!("`#[{later}]` is not supported yet")),
    }
    if !matches!(mark.meta, Meta::Path(_)) {
        errors.at(&mark.meta, format!("`#[{name}]` takes no options"));
    }
    match name.as_str() {
        "init" => Role::Init,
        "getter" => Role::Getter,
        "static_method" => Role::Static,
        "getstate" => Role::State(StateRole::GetState),
        "setstate" => Role::State(StateRole::SetState),
        "flatten" => Role::State(StateRole::Flatten),
        "unflatten" => Role::State(StateRole::Unflatten),
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

fn read_upgrade(mark: &Attribute, errors: &Errors) -> Role {
    let version = match &mark.meta {
        Meta::List(list) => syn::parse2::<LitInt>(list.tokens.clone()).ok(),
        _ => None,
    };
    match version.and_then(|version| version.base10_parse().ok()).filter(|version| *version > 0) {
        Some(version) => Role::State(StateRole::Upgrade(version)),
        None => {
            errors.at(&mark.meta, "an upgrade names the version whose state it reads: `#[upgrade(1)]`");
            Role::Skip
        }
    }
}

/// `#[method(fake = like(x))]`, `#[method(composite)]`
fn read_method(mark: &Attribute, errors: &Errors) -> MethodFake {
    let mut fake = MethodFake::Unsaid;
    let options = match &mark.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => Default::default(),
    };
    let entries = attribute_list::entries(options, errors);
    if entries.is_empty() {
        errors.at(&mark.meta, "expected `#[method(fake = like(x))]` or `#[method(composite)]`");
    }
    for entry in entries {
        let said = match entry.text().as_str() {
            "fake" => entry.value::<Like>("fake = like(x)", errors).map(|like| MethodFake::Like(like.0)),
            "composite" => {
                entry.flag(errors);
                Some(MethodFake::Composite)
            }
            other => {
                errors.at(&entry.name, format!("unknown option `{other}`, expected `fake = like(x)` or `composite`"));
                None
            }
        };
        match (&fake, said) {
            (MethodFake::Unsaid, Some(said)) => fake = said,
            (_, Some(_)) => errors.at(&entry.name, "a method has one fake: `fake = like(x)` or `composite`"),
            (_, None) => {}
        }
    }
    fake
}
