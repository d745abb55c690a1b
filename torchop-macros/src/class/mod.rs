//! `#[torch_class]`: on the struct, and again on each of its impl blocks.

mod block_check;
mod block_expand;
mod dunder;
mod field_properties;
mod method;
mod role;
mod state_expand;
mod struct_check;
mod struct_expand;

use crate::errors::Errors;
use crate::item::block::Block;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

/// Parse, model, check, expand.
pub(crate) fn torch_class(options: TokenStream, item: TokenStream) -> TokenStream {
    if let Ok(block) = syn::parse2::<Block>(item.clone()) {
        return on_block(options, block);
    }
    match syn::parse2::<ItemStruct>(item.clone()) {
        Ok(item) => on_struct(options, item),
        Err(_) => {
            let message = "`#[torch_class]` belongs on a struct or on one of its impl blocks";
            let error = syn::Error::new_spanned(&item, message).into_compile_error();
            quote!(#item #error)
        }
    }
}

fn on_struct(options: TokenStream, mut item: ItemStruct) -> TokenStream {
    let errors = Errors::new();
    let properties = field_properties::take(&mut item, &errors);
    let class = struct_check::class(options, &item, properties, &errors);
    let generated = match errors.finish() {
        None => struct_expand::class(&class),
        Some(errors) => {
            // A generic struct cannot be a class; any other stays one, so that its blocks have nothing to say.
            let class = item.generics.params.is_empty().then(|| struct_expand::broken(&class));
            quote!(#errors #class)
        }
    };
    quote!(#item #generated)
}

fn on_block(options: TokenStream, mut block: Block) -> TokenStream {
    let errors = Errors::new();
    let model = block_check::methods(options, &mut block, &errors);
    let generated = match (errors.finish(), model) {
        (None, Some(methods)) => block_expand::methods(&methods),
        (errors, _) => errors.unwrap_or_default(),
    };
    quote!(#block #generated)
}
