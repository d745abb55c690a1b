//! `#[derive(TorchEnum)]` and `#[derive(TorchTuple)]`: conversions of users' own types.

mod torch_enum;
mod torch_tuple;

pub(crate) use torch_enum::torch_enum;
pub(crate) use torch_tuple::torch_tuple;

use crate::attribute_list::{self, Entry};
use crate::crate_path::CratePath;
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Meta, Path};

/// The options of all `#[torch(…)]` among the attributes.
fn options(attributes: &[Attribute], errors: &Errors) -> Vec<Entry> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident("torch"));
    let lists = ours.filter_map(|attribute| match &attribute.meta {
        Meta::List(list) => Some(list.tokens.clone()),
        other => {
            errors.at(other, "`#[torch]` needs an option: `#[torch(…)]`");
            None
        }
    });
    lists.flat_map(|list| attribute_list::entries(list, errors)).collect()
}

/// On the type itself, only `crate = path`.
fn crate_path(attributes: &[Attribute], errors: &Errors) -> CratePath {
    let mut path = None;
    for option in options(attributes, errors) {
        match option.text().as_str() {
            "crate" => path = option.value::<Path>("crate = path", errors),
            other => {
                errors.at(&option.name, format!("unknown option `{other}`; on the type there is only `crate = path`"));
            }
        }
    }
    CratePath::new(path.as_ref())
}

fn hidden_block(crate_path: &CratePath, content: &TokenStream) -> TokenStream {
    let import = crate_path.import();
    quote! {
        #[doc(hidden)]
        const _: () = {
            #import
            #content
        };
    }
}
