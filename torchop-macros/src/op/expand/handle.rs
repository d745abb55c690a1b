//! The function that users call, and the type beside it that other roles name.

use super::notes;
use crate::item::attributes::{is_for_callers, is_torch_op};
use crate::item::function::Function;
use crate::op::model::Callee;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;

/// `enum f {}`.
pub(super) fn handle_type(handle: &Ident, function: &Function, callee: &Callee) -> TokenStream {
    let (conditions, visibility) = (&callee.conditions, &function.visibility);
    quote! {
        #conditions
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility enum #handle {}
    }
}

/// `f::kernel`, the function as written.
pub(super) fn kernel(handle: &Ident, function: &Function, callee: &Callee) -> TokenStream {
    let conditions = &callee.conditions;
    let mut kernel = function.clone();
    kernel.signature.ident = Ident::new("kernel", callee.name_span());
    kernel.attributes.retain(|attribute| !is_for_callers(attribute) && !is_torch_op(attribute));
    quote! {
        #conditions
        #[doc(hidden)]
        impl #handle {
            /// The function as written: no dispatcher, no autograd.
            #kernel
        }
    }
}

/// `fn f`, which calls the operator through the dispatcher.
pub(super) fn dispatching_function(
    handle: &Ident,
    function: &Function,
    callee: &Callee,
    schema: Option<&str>,
) -> TokenStream {
    let Callee { crate_path, conditions, name, parameters, output, output_span, .. } = callee;
    let visibility = &function.visibility;
    let attributes =
        function.attributes.iter().filter(|attribute| is_for_callers(attribute) || is_lint_level(attribute));
    let names: Vec<&Ident> = parameters.iter().map(|parameter| &parameter.name).collect();
    let types = parameters.iter().map(|parameter| &parameter.ty);
    let private = crate_path.private();
    let note = schema.map(notes::of).unwrap_or_default();
    let schema = schema.map_or_else(|| "inferred from the signature".to_owned(), |schema| format!("`{schema}`"));
    let documentation = format!(
        "\n\nSchema: {schema}\n\nCalls the operator through torch's dispatcher. The function as written is `{handle}::kernel`.{note}"
    );
    let returned = quote_spanned!(*output_span=> <#output as #private::Returned>::Called);
    let passed = types.clone();
    quote! {
        #conditions
        #(#attributes)*
        #[doc = #documentation]
        #[allow(clippy::too_many_arguments)] // said of the function as written
        #visibility fn #name(#(#names: #types),*) -> #returned {
            use #private::NotCalled as _;
            #private::Call::<#handle, (#(#passed,)*), #output>::call((#(#names,)*))
        }
    }
}

fn is_lint_level(attribute: &Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"].iter().any(|level| attribute.path().is_ident(level))
}
