//! `#[torch(get)]` and `#[torch(get, set)]` on a field: a property that reads and writes it.

use super::struct_check::Class;
use crate::attribute_list;
use crate::errors::Errors;
use crate::item::attributes::{conditions, documentation};
use crate::text::{did_you_mean, listed};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, ItemStruct, Meta, Type};

/// A field that torch sees.
pub(crate) struct Property {
    name: Ident,
    ty: Type,
    writable: bool,
    conditions: TokenStream,
    documentation: String,
}

const OPTIONS: [&str; 2] = ["get", "set"];

/// Takes `#[torch(…)]` off the fields, which rustc would not know, and reads it.
pub(crate) fn take(item: &mut ItemStruct, errors: &Errors) -> Vec<Property> {
    item.fields
        .iter_mut()
        .filter_map(|field| {
            let (ours, others) = field.attrs.drain(..).partition(|attribute| attribute.path().is_ident("torch"));
            field.attrs = others;
            let ours: Vec<Attribute> = ours;
            let first = ours.first()?;
            let (mut get, mut set) = (false, false);
            for attribute in &ours {
                read(attribute, &mut get, &mut set, errors);
            }
            let Some(name) = field.ident.clone() else {
                errors.at(first, "a property needs a name\nwrite `struct Name { field: Type }`");
                return None;
            };
            if set && !get {
                errors.at(first, "torch has no property that can only be written\nwrite `#[torch(get, set)]`");
            }
            let (ty, conditions) = (field.ty.clone(), conditions(&field.attrs));
            Some(Property { name, ty, writable: set, conditions, documentation: documentation(&field.attrs) })
        })
        .collect()
}

fn read(attribute: &Attribute, get: &mut bool, set: &mut bool, errors: &Errors) {
    let Meta::List(list) = &attribute.meta else {
        errors.at(attribute, format!("`#[torch]` needs an option, one of {}", listed(OPTIONS)));
        return;
    };
    for option in attribute_list::entries(list.tokens.clone(), errors) {
        match option.text().as_str() {
            "get" => *get = true,
            "set" => *set = true,
            other => {
                errors.at(
                    &option.name,
                    format!(
                        "unknown option `{other}`, expected one of {}{}",
                        listed(OPTIONS),
                        did_you_mean(other, OPTIONS)
                    ),
                );
                continue;
            }
        }
        option.flag(errors);
    }
}

/// One entry of the table for all of them.
pub(crate) fn properties(class: &Class<'_>) -> Option<TokenStream> {
    if class.properties.is_empty() {
        return None;
    }
    let functions = class.properties.iter().map(|property| functions(class.ident, property));
    let definitions = class.properties.iter().map(definitions);
    let table_entry = class.crate_path.table_entry();
    Some(quote! {
        const _: () = {
            #(#functions)*
            #table_entry
            static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Methods {
                class: &__TORCHOP_CLASS,
                methods: &[#(#definitions)*],
                fakes: &[],
                states: &[],
            };
        };
    })
}

fn functions(class: &Ident, property: &Property) -> TokenStream {
    let Property { name, ty, conditions, .. } = property;
    let (get, set) = names(property);
    let setter = property.writable.then(|| {
        quote! {
            #conditions
            fn #set(arguments: __torchop::Arguments<'_>, _: __torchop::Results<'_>) -> __torchop::Result<()> {
                let (mut this, arguments) = __torchop::Quiet::<#class>::changing(arguments)?;
                this.#name = __torchop::Quiet::<#ty>::field_argument(arguments)?;
                ::core::result::Result::Ok(())
            }
        }
    });
    quote! {
        #conditions
        fn #get(arguments: __torchop::Arguments<'_>, results: __torchop::Results<'_>) -> __torchop::Result<()> {
            let this = __torchop::Quiet::<#class>::reading(arguments)?;
            __torchop::Quiet::<#ty>::save(&this.#name, &mut __torchop::FieldWriter::new(results))
        }
        #setter
    }
}

fn names(property: &Property) -> (Ident, Ident) {
    let name = property.name.unraw();
    let named = |what| format_ident!("__torchop_{}_{}", what, name, span = Span::call_site());
    (named("get"), named("set"))
}

fn definitions(property: &Property) -> TokenStream {
    let Property { name, ty, conditions, documentation, .. } = property;
    let text = name.unraw().to_string();
    let (get, set) = names(property);
    let ty = quote_spanned!(ty.span().resolved_at(Span::call_site())=> <#ty as __torchop::Field>::TYPE);
    let common = quote! {
        name: #text,
        doc: #documentation,
        location: __torchop::Location { file: ::core::file!(), line: ::core::line!() },
    };
    let setter = property.writable.then(|| {
        quote! {
            #conditions
            __torchop::MethodDef {
                kind: __torchop::MethodKind::Setter,
                changes: true,
                arguments: &[__torchop::ArgumentDef {
                    name: "value",
                    ty: #ty,
                    default: ::core::option::Option::None,
                }],
                returns: &[],
                fake: __torchop::MethodFake::Unsaid,
                call: #set,
                #common
            },
        }
    });
    quote! {
        #conditions
        __torchop::MethodDef {
            kind: __torchop::MethodKind::Getter,
            changes: false,
            arguments: &[],
            returns: &[#ty],
            fake: __torchop::MethodFake::Unsaid,
            call: #get,
            #common
        },
        #setter
    }
}
