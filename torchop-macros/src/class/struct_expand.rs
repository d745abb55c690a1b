//! Writes out a class. Nothing here can fail.

use super::field_properties;
use super::struct_check::{Class, Field};
use crate::crate_path::refuse_panic_abort;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

pub(crate) fn class(class: &Class<'_>) -> TokenStream {
    let has_state = class.pickle || class.flatten;
    let ident = class.ident;
    let state = has_state.then(|| state(class));
    let state_def = if has_state {
        quote!(::core::option::Option::Some(__torchop::state_def::<#ident>()))
    } else {
        quote!(::core::option::Option::None)
    };
    let properties = field_properties::properties(class);
    let (definition, table_entry, no_abort) =
        (definition(class, &state_def), class.crate_path.table_entry(), refuse_panic_abort());
    hidden_block(
        class,
        &quote! {
            #definition
            #state
            #table_entry
            static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Class(&__TORCHOP_CLASS);
            __torchop::load_hook!();
            #no_abort
            #properties
        },
    )
}

/// A class in error: not registered, but one, so that its blocks have nothing to say.
pub(crate) fn broken(class: &Class<'_>) -> TokenStream {
    let (definition, ident) = (definition(class, &quote!(::core::option::Option::None)), class.ident);
    hidden_block(
        class,
        &quote! {
            #definition
            impl __torchop::State for #ident {
                const FIELDS: &'static [__torchop::FieldDef] = &[];
                fn save(&self, _: &mut __torchop::FieldWriter<'_>) -> __torchop::Result<()> {
                    ::core::unreachable!()
                }
                fn restore(_: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
                    ::core::unreachable!()
                }
            }
        },
    )
}

fn hidden_block(class: &Class<'_>, content: &TokenStream) -> TokenStream {
    let (conditions, import) = (&class.conditions, class.crate_path.import());
    quote! {
        #conditions
        #[doc(hidden)]
        const _: () = {
            #import
            #content
        };
    }
}

/// The definition has one address, which is its identity. The implementation asserts `Send`, at the struct's name.
fn definition(class: &Class<'_>, state: &TokenStream) -> TokenStream {
    let Class { ident, name, pickle, flatten, documentation, .. } = class;
    let implementation = quote_spanned! {ident.span().resolved_at(Span::call_site())=>
        impl __torchop::Class for #ident {
            const DEF: &'static __torchop::ClassDef = &__TORCHOP_CLASS;
        }
        __torchop::returned_as_object!(#ident);
    };
    let full_name = format!("__torch__.torch.classes.{}", name.replace("::", "."));
    quote! {
        static __TORCHOP_CHANGES: __torchop::Changes = __torchop::Changes::new();
        static __TORCHOP_CLASS: __torchop::ClassDef = __torchop::ClassDef {
            name: #name,
            full_name: #full_name,
            doc: #documentation,
            location: __torchop::Location { file: ::core::file!(), line: ::core::line!() },
            state: #state,
            pickle: #pickle,
            flatten: #flatten,
            changes: &__TORCHOP_CHANGES,
        };
        #implementation
    }
}

/// Fields to values and back, each at the field's type.
fn state(class: &Class<'_>) -> TokenStream {
    let ident = class.ident;
    let definitions = class.fields.iter().map(field_definition);
    let saves = class
        .fields
        .iter()
        .map(|Field { name, ty, conditions }| quote!(#conditions __torchop::Quiet::<#ty>::save(&self.#name, fields)?;));
    let restores = class
        .fields
        .iter()
        .map(|Field { name, ty, conditions }| quote!(#conditions #name: __torchop::Quiet::<#ty>::restore(fields)?,));
    quote! {
        impl __torchop::State for #ident {
            const FIELDS: &'static [__torchop::FieldDef] = &[#(#definitions),*];
            fn save(&self, fields: &mut __torchop::FieldWriter<'_>) -> __torchop::Result<()> {
                #(#saves)*
                let _ = fields;
                ::core::result::Result::Ok(())
            }
            fn restore(fields: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
                let _ = &fields;
                ::core::result::Result::Ok(#ident { #(#restores)* })
            }
        }
    }
}

fn field_definition(field: &Field<'_>) -> TokenStream {
    let Field { name, ty, conditions } = field;
    let text = name.unraw().to_string();
    let place = ty.span().resolved_at(Span::call_site());
    quote_spanned!(place=> #conditions __torchop::FieldDef { name: #text, ty: <#ty as __torchop::Field>::TYPE })
}
