//! The implementation of `Op`: what a definition tells the other roles.

use crate::names::identifier;
use crate::op::slots::Slot;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// All constants of `Op`.
pub(super) struct OpConstants<'a> {
    pub(super) handle: &'a Ident,
    pub(super) slots: &'a [Slot],
    pub(super) count: TokenStream,
    pub(super) takes: String,
    pub(super) returns: Vec<TokenStream>,
    pub(super) return_text: String,
    pub(super) tensor_arguments: Vec<u16>,
    pub(super) gradients: TokenStream,
    pub(super) gives: String,
}

impl OpConstants<'_> {
    /// A struct with one field per name, whose name shows in rustc's messages, and the implementation. The definition
    /// is the static `__TORCHOP_DEF`.
    pub(super) fn expand(&self) -> TokenStream {
        let OpConstants { handle, slots, count, takes, returns, return_text, tensor_arguments, gradients, gives } =
            self;
        let names = format_ident!("names_of_{}", handle.unraw(), span = Span::call_site());
        let fields: Vec<Ident> = slots.iter().map(|slot| identifier(&slot.name, Span::call_site())).collect();
        let values = slots.iter().map(Slot::constant);
        quote! {

            pub struct #names { #(pub #fields: __torchop::Slot),* }
            impl __torchop::Op for #handle {
                const DEF: &'static __torchop::OpDef = &__TORCHOP_DEF;
                type Names = #names;
                const NAMES: #names = #names { #(#fields: #values),* };
                const COUNT: usize = #count;
                const TAKES: &'static str = #takes;
                const RETURNS: &'static [__torchop::SchemaType] = &[#(#returns),*];
                const RETURN_TEXT: &'static str = #return_text;
                const TENSOR_ARGUMENTS: &'static [u16] = &[#(#tensor_arguments),*];
                const GRADIENTS: usize = #gradients;
                const GIVES: &'static str = #gives;
            }
        }
    }
}
