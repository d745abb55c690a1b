//! Where the generated code finds torchop.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// The path of torchop, `::torchop` unless `crate = path` says otherwise.
#[derive(Clone)]
pub(crate) struct CratePath(TokenStream);

impl CratePath {
    pub(crate) fn new(given: Option<&Path>) -> Self {
        CratePath(given.map_or_else(|| quote!(::torchop), |path| quote!(#path)))
    }

    /// The half of the runtime that only generated code calls.
    pub(crate) fn private(&self) -> TokenStream {
        let path = &self.0;
        quote!(#path::__private0)
    }

    /// `use … as __torchop;`, at the head of every generated block.
    pub(crate) fn import(&self) -> TokenStream {
        let private = self.private();
        quote! {

            use #private as __torchop;
            // Where a type does not do, these stand in for what its check has already refused.

            use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
        }
    }

    /// The attributes that put a static into the table of registrations.
    pub(crate) fn table_entry(&self) -> TokenStream {
        let private = self.private();
        quote! {
            #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
            #[linkme(crate = #private::linkme)]
        }
    }
}

/// A panic becomes a Python exception by unwinding; a crate built without it would end the process instead.
pub(crate) fn refuse_panic_abort() -> TokenStream {
    quote! {
        #[cfg(panic = "abort")]
        ::core::compile_error!("torchop turns a panic into a Python exception, which needs unwinding\nremove `panic = \"abort\"` from the profile in Cargo.toml");
    }
}
