//! From a struct and its options to the model; every refusal on a struct that is not one of types.

use super::field_properties::Property;
use crate::attribute_list;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use crate::item::attributes::{conditions, documentation};
use crate::schema::namespace;
use crate::text::{did_you_mean, listed};
use proc_macro2::{Ident, Span, TokenStream};
use syn::{ItemStruct, LitInt, LitStr, Path, Type};

/// One class.
pub(crate) struct Class<'a> {
    pub(crate) ident: &'a Ident,
    /// `ns::Name`
    pub(crate) name: String,
    pub(crate) pickle: bool,
    pub(crate) flatten: bool,
    /// The derived method `to(device)`.
    pub(crate) to: bool,
    /// Of the pickled state.
    pub(crate) version: u32,
    /// What `pickle` and `flatten` derive from.
    pub(crate) fields: Vec<Field<'a>>,
    /// Fields that are properties.
    pub(crate) properties: Vec<Property>,
    pub(crate) crate_path: CratePath,
    pub(crate) conditions: TokenStream,
    pub(crate) documentation: String,
}

pub(crate) struct Field<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) conditions: TokenStream,
}

const OPTIONS: [&str; 6] = ["name", "pickle", "flatten", "to", "version", "crate"];

/// The model; of use only if no errors were reported.
pub(crate) fn class<'a>(
    options: TokenStream,
    item: &'a ItemStruct,
    properties: Vec<Property>,
    errors: &Errors,
) -> Class<'a> {
    let mut class = Class {
        ident: &item.ident,
        name: String::new(),
        pickle: false,
        flatten: false,
        to: false,
        version: 1,
        fields: Vec::new(),
        properties,
        crate_path: CratePath::new(None),
        conditions: conditions(&item.attrs),
        documentation: documentation(&item.attrs),
    };
    let mut named = false;
    for option in attribute_list::entries(options, errors) {
        match option.text().as_str() {
            "name" => {
                named = true;
                if let Some(name) = option.value::<LitStr>("name = \"ns::Name\"", errors) {
                    check_name(&name, errors);
                    class.name = name.value();
                }
            }
            "pickle" | "flatten" => {
                option.flag(errors);
                class.pickle |= option.text() == "pickle";
                class.flatten |= option.text() == "flatten";
            }
            "to" => {
                option.flag(errors);
                class.to = true;
            }
            "version" => {
                let number = option.value::<LitInt>("version = 2", errors);
                match number.as_ref().map(LitInt::base10_parse) {
                    Some(Ok(version)) if version > 0 => class.version = version,
                    Some(_) => errors.at(number, "expected a version: a whole number from 1"),
                    None => {}
                }
            }
            "crate" => class.crate_path = CratePath::new(option.value::<Path>("crate = path", errors).as_ref()),
            other => errors.at(
                &option.name,
                format!(
                    "unknown option `{other}`, expected one of {}{}",
                    listed(OPTIONS),
                    did_you_mean(other, OPTIONS)
                ),
            ),
        }
    }
    if !named {
        let ident = &item.ident;
        errors.at_span(
            Span::call_site(),
            format!("a class needs its name in torch\nwrite `#[torch_class(name = \"my_ops::{ident}\")]`"),
        );
    }
    if !item.generics.params.is_empty() {
        errors.at(
            &item.generics.params,
            "a torch class cannot be generic\nwrite a struct for each type, around a generic one",
        );
    }
    if class.pickle || class.flatten {
        class.fields = fields(item, errors);
    }
    class
}

/// `ns::Name`, both identifiers.
fn check_name(name: &LitStr, errors: &Errors) {
    let text = name.value();
    let Some((namespace, class)) = text.split_once("::") else {
        errors.at(name, format!("the class has no namespace\nwrite `\"my_ops::{text}\"`"));
        return;
    };
    if let Some((message, help)) = namespace::refusal(namespace) {
        errors.at(name, format!("{message}\n{help}"));
    }
    if !namespace::is_identifier(class) {
        errors.at(
            name,
            format!("`{class}` is not an identifier\nuse ASCII letters, digits and underscores for the class's name"),
        );
    }
}

fn fields<'a>(item: &'a ItemStruct, errors: &Errors) -> Vec<Field<'a>> {
    if let syn::Fields::Unnamed(fields) = &item.fields {
        errors
            .at(&fields.unnamed, "`pickle` and `flatten` need fields with names\nwrite `struct Name { field: Type }`");
        return Vec::new();
    }
    let named = item.fields.iter().filter_map(|field| {
        let name = field.ident.as_ref()?;
        Some(Field { name, ty: &field.ty, conditions: conditions(&field.attrs) })
    });
    named.collect()
}
