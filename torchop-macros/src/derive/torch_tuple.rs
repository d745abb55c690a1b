//! A struct as a tuple of its fields.

use super::{crate_path, hidden_block};
use crate::errors::Errors;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, GenericParam, Lifetime, Member, Type};

/// Parse, check, expand.
pub(crate) fn torch_tuple(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let errors = Errors::new();
    let crate_path = crate_path(&input.attrs, &errors);
    let parts = check(&input, &errors);
    match errors.finish() {
        Some(errors) => errors,
        None => hidden_block(&crate_path, &expand(&input, &parts)),
    }
}

/// A field.
struct Part<'a> {
    member: Member,
    name: String,
    ty: &'a Type,
}

/// ```text
/// struct Window { size: i64, stride: i64 }        (int, int)
/// struct Pair<'a>(&'a Tensor, f64)                (Tensor, float), as an argument
/// struct Window<T> { … }, struct Window;          neither
/// ```
fn check<'a>(input: &'a DeriveInput, errors: &Errors) -> Vec<Part<'a>> {
    let Data::Struct(data) = &input.data else {
        errors.at(
            &input.ident,
            "`TorchTuple` is for structs: a tuple of the fields\nan enum becomes a `str` by `TorchEnum`",
        );
        return Vec::new();
    };
    let params = &input.generics.params;
    let lifetimes = params.iter().filter(|param| matches!(param, GenericParam::Lifetime(_))).count();
    if params.len() > lifetimes || lifetimes > 1 {
        errors.at(params, "a tuple of torch's has no parameters but one lifetime, for what it borrows");
    }
    if data.fields.is_empty() {
        errors.at(&input.ident, "a tuple of torch's has at least one field");
    }
    data.fields.iter().enumerate().map(|(index, field)| part(index, field)).collect()
}

fn part(index: usize, field: &Field) -> Part<'_> {
    let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
    let name = field.ident.as_ref().map_or_else(|| index.to_string(), |ident| ident.unraw().to_string());
    Part { member, name, ty: &field.ty }
}

fn expand(input: &DeriveInput, parts: &[Part<'_>]) -> TokenStream {
    let ident = &input.ident;
    let own = input.generics.lifetimes().next().map(|param| param.lifetime.clone());
    let lifetime = own.clone().unwrap_or_else(|| Lifetime::new("'__torchop", Span::call_site()));
    let arguments = own.as_ref().map(|lifetime| quote!(<#lifetime>));
    let (argument, element) = (argument(ident, &lifetime, &arguments, parts), element(ident, &own, &arguments, parts));
    // What borrows cannot outlive the values that it borrows from.
    let owned = own.is_none().then(|| one(ident, parts));
    quote! {
        use __torchop::{NoElement as _, ReadNoPart as _, ReadOwnedPart as _, ReadPart as _, TakePart as _};
        #argument
        #element
        #owned
    }
}

/// At the field's type, where the one message on it stands.
fn place(part: &Part<'_>) -> Span {
    part.ty.span().resolved_at(Span::call_site())
}

fn tuple_type(parts: &[Part<'_>]) -> TokenStream {
    let types = parts.iter().map(|part| {
        let ty = part.ty;
        quote_spanned!(place(part)=> __torchop::Part::<#ty>::TYPE)
    });
    quote!(__torchop::SchemaType::Tuple(&[#(#types),*]))
}

/// The one check of every field: torch knows its type.
fn argument(ident: &Ident, lifetime: &Lifetime, own: &Option<TokenStream>, parts: &[Part<'_>]) -> TokenStream {
    let (tuple, count) = (tuple_type(parts), parts.len());
    let check = Ident::new(if own.is_some() { "borrowed_part" } else { "owned_part" }, Span::call_site());
    let checks = parts.iter().map(|part| {
        let ty = part.ty;
        quote_spanned!(place(part)=> let _ = __torchop::#check::<#ty>;)
    });
    let fields = parts.iter().enumerate().map(|(index, part)| {
        let Part { member, name, ty } = part;
        quote_spanned!(place(part)=> #member: (&&&__torchop::Part::<#lifetime, #ty>::new()).read(parts, #index, #name)?,)
    });
    quote! {
        impl<#lifetime> __torchop::Argument<#lifetime> for #ident #own {
            const TYPE: __torchop::SchemaType = #tuple;
            fn read(
                value: __torchop::Value<#lifetime>,
            ) -> ::core::result::Result<Self, __torchop::Mismatch> {
                #(#checks)*
                let parts = __torchop::parts(value, #count)?;
                ::core::result::Result::Ok(#ident { #(#fields)* })
            }
        }
    }
}

fn element(ident: &Ident, own: &Option<Lifetime>, arguments: &Option<TokenStream>, parts: &[Part<'_>]) -> TokenStream {
    let (tuple, count) = (tuple_type(parts), parts.len());
    let members = parts.iter().map(|part| &part.member);
    let names: Vec<Ident> = (0..count).map(|index| format_ident!("part{index}")).collect();
    let puts = parts.iter().zip(&names).map(|(part, name)| {
        let ty = part.ty;
        quote_spanned!(place(part)=> __torchop::Part::<#ty>::put(#name, writer)?;)
    });
    quote! {
        impl<#own> __torchop::Element for #ident #arguments {
            const TYPE: __torchop::SchemaType = #tuple;
            fn put(self, slot: __torchop::ResultSlot<'_>) -> __torchop::Result<()> {
                let #ident { #(#members: #names),* } = self;
                __torchop::put_parts(slot, #count, |writer| {
                    #(#puts)*
                    ::core::result::Result::Ok(())
                })
            }
        }
    }
}

fn one(ident: &Ident, parts: &[Part<'_>]) -> TokenStream {
    let count = parts.len();
    let fields = parts.iter().enumerate().map(|(index, part)| {
        let Part { member, ty, .. } = part;
        quote_spanned!(place(part)=> #member: (&&__torchop::Part::<#ty>::new()).take(parts, #index)?,)
    });
    quote! {
        impl __torchop::One for #ident {
            fn take(value: __torchop::Value<'_>) -> ::core::option::Option<Self> {
                let parts = __torchop::parts(value, #count).ok()?;
                ::core::option::Option::Some(#ident { #(#fields)* })
            }
        }
        __torchop::returned_as_one!(#ident);
    }
}
