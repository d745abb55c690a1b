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
    let some = |wanted: bool, def: TokenStream| {
        if wanted { quote!(::core::option::Option::Some(#def)) } else { quote!(::core::option::Option::None) }
    };
    let properties = field_properties::properties(class);
    let pickle = some(class.pickle, quote!(__torchop::fields_def::<#ident>()));
    let flatten = some(class.flatten, quote!(__torchop::state_def::<#ident>()));
    let (definition, table_entry, no_abort) =
        (definition(class, &pickle, &flatten), class.crate_path.table_entry(), refuse_panic_abort());
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
    let none = quote!(::core::option::Option::None);
    let (definition, ident) = (definition(class, &none, &none), class.ident);
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
fn definition(class: &Class<'_>, pickle: &TokenStream, flatten: &TokenStream) -> TokenStream {
    let Class { ident, name, version, to, documentation, .. } = class;
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
            version: #version,
            pickle: #pickle,
            flatten: #flatten,
            changes: &__TORCHOP_CHANGES,
            to: #to,
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
    // At the struct's name, where a second way to pickle or trace is reported.
    let place = ident.span().resolved_at(Span::call_site());
    let pickle = class.pickle.then(|| quote_spanned!(place=> impl __torchop::Pickle for #ident {}));
    let flatten = class.flatten.then(|| {
        quote_spanned! {place=>
            impl __torchop::State for #ident {
                const FIELDS: &'static [__torchop::FieldDef] = <#ident as __torchop::Fields>::FIELDS;
                fn save(&self, fields: &mut __torchop::FieldWriter<'_>) -> __torchop::Result<()> {
                    __torchop::Fields::save(self, fields)
                }
                fn restore(fields: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
                    __torchop::Fields::restore(fields)
                }
            }
        }
    });
    quote! {
        #pickle
        #flatten
        impl __torchop::Fields for #ident {
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
