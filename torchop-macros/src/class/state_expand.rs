//! Writes out the functions that turn objects into values and back. Nothing here can fail.

use super::block_expand::{location, quote_user_function, trampoline_name};
use super::method::{Kind, Method};
use super::role::StateRole;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;

fn function(methods: &[Method], role: StateRole) -> Option<&Method> {
    methods.iter().find(|method| matches!(method.kind, Kind::State(found) if found == role))
}

/// What gives the values, and what takes them.
fn pair(methods: &[Method], gives: StateRole, takes: StateRole) -> Option<(&Method, &Method)> {
    function(methods, gives).zip(function(methods, takes))
}

/// What belongs beside the block's entry.
pub(super) fn items(class: &Type, methods: &[Method]) -> TokenStream {
    let pickle = pair(methods, StateRole::GetState, StateRole::SetState).map(|(gives, takes)| {
        let checks = pair_checks(gives, takes);
        let (place, conditions) = (gives.name_span(), &takes.conditions);
        quote_spanned! {place=>
            #conditions
            impl __torchop::Pickle for #class {}
            #conditions
            const _: () = { #checks };
        }
    });
    let flatten =
        pair(methods, StateRole::Flatten, StateRole::Unflatten).map(|(gives, takes)| flat(class, gives, takes));
    quote!(#pickle #flatten)
}

fn flat(class: &Type, gives: &Method, takes: &Method) -> TokenStream {
    let (checks, place, conditions) = (pair_checks(gives, takes), gives.name_span(), &takes.conditions);
    let (given, entries) = (&gives.output, entry_definitions(takes));
    let (give, take) = (quote_user_function(class, gives), quote_user_function(class, takes));
    let arguments: Vec<Ident> = (0..takes.parameters.len()).map(|index| format_ident!("argument{index}")).collect();
    let types = takes.parameters.iter().map(|parameter| &parameter.ty);
    quote_spanned! {place=>
        #conditions
        impl __torchop::State for #class {
            const FIELDS: &'static [__torchop::FieldDef] = &[#(#entries),*];
            fn save(&self, fields: &mut __torchop::FieldWriter<'_>) -> __torchop::Result<()> {
                __torchop::Quiet::<#given>::give(fields.results(), #give(self))
            }
            fn restore(fields: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(fields.arguments())?;
                __torchop::Constructed::<#class>::constructed(#take(#(#arguments),*))
            }
        }
        #conditions
        const _: () = { #checks };
    }
}

/// Both sides speak of the same values, in the same order.
fn pair_checks(gives: &Method, takes: &Method) -> TokenStream {
    let types = takes.parameters.iter().map(|parameter| parameter.schema_type());
    let output = &gives.output;
    let returned = quote_spanned!(gives.output_span=> <#output as __torchop::Returned>::TYPES);
    quote_spanned!(takes.name_span()=> __torchop::state_pair(#returned, &[#(#types),*]);)
}

fn entry_definitions(takes: &Method) -> impl Iterator<Item = TokenStream> {
    takes.parameters.iter().map(|parameter| {
        let (name, ty) = (parameter.name.unraw().to_string(), parameter.schema_type());
        quote!(__torchop::FieldDef { name: #name, ty: #ty })
    })
}

/// `StateRole`s for the block's entry.
pub(super) fn entries(class: &Type, methods: &[Method]) -> Vec<TokenStream> {
    let mut entries = vec![];
    if let Some((gives, takes)) = pair(methods, StateRole::GetState, StateRole::SetState) {
        let (conditions, fields) = (&takes.conditions, entry_definitions(takes));
        let (save, restore) = (trampoline_name(gives), trampoline_name(takes));
        entries.push(quote! {
            #conditions
            __torchop::StateRole::Pickle(__torchop::StateDef { fields: &[#(#fields),*], save: #save, restore: #restore })
        });
    }
    if let Some((_, takes)) = pair(methods, StateRole::Flatten, StateRole::Unflatten) {
        let conditions = &takes.conditions;
        entries.push(quote!(#conditions __torchop::StateRole::Flatten(__torchop::state_def::<#class>())));
    }
    for method in methods {
        let Kind::State(StateRole::Upgrade(version)) = method.kind else { continue };
        let (conditions, fields) = (&method.conditions, entry_definitions(method));
        let (restore, location) = (trampoline_name(method), location());
        entries.push(quote! {
            #conditions
            __torchop::StateRole::Upgrade { version: #version, fields: &[#(#fields),*], restore: #restore, location: #location }
        });
    }
    entries
}
