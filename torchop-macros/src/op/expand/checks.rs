//! The `const` assertions that compare a function with the slots of its operator, each at the user's type.
//!
//! A name that is no slot is rustc's to report: `NAMES.weigth` has no such field, and it knows a similar one.

use crate::defaults::word_check;
use crate::item::function::Function;
use crate::item::parameter::{Parameter, spelled};
use crate::item::self_type::at;
use crate::op::keys::Key;
use crate::op::model::Callee;
use crate::schema::{Argument, Schema};
use crate::text::counted;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

/// A constant of the operator's, at the place where the user names it: whatever is wrong with it is one message.
pub(super) fn op_constant(op: &TokenStream, name: &str) -> TokenStream {
    let place = op.span();
    let (name, op) = (Ident::new(name, place), at(op.clone(), place));
    quote_spanned!(place=> <#op as __torchop::Op>::#name)
}

/// `const __TORCHOP_NAMES`, which the checks read.
pub(super) fn names(op: &TokenStream) -> TokenStream {
    let (ty, value) = (op_constant(op, "Names"), op_constant(op, "NAMES"));
    quote!(const __TORCHOP_NAMES: #ty = #value;)
}

/// The slot that a parameter names.
pub(super) fn slot(name: &Ident) -> TokenStream {
    quote_spanned!(name.span()=> __TORCHOP_NAMES.#name)
}

/// The default of a `str` is a word of the parameter's type, where that is an enum.
pub(super) fn words(callee: &Callee, schema: &Schema) -> TokenStream {
    let arguments = schema.arguments.iter().zip(&callee.parameters);
    let check = |(argument, parameter): (&Argument, &Parameter)| {
        let word = argument.default_text.as_ref()?;
        let text = format!("the schema has the default '{word}', which is no word of `{}`", spelled(&parameter.ty));
        Some(word_check(parameter, word, &text, parameter.type_span()))
    };
    arguments.filter_map(check).collect()
}

/// An array takes the default of its list.
pub(super) fn lengths(callee: &Callee, schema: &Schema) -> TokenStream {
    let arguments = schema.arguments.iter().zip(&callee.parameters);
    let check = |(argument, parameter): (&Argument, &Parameter)| {
        let count = argument.default_count?;
        let ty = parameter.schema_type();
        let text = format!(
            "the default in the schema has {}, which `{}` does not take; write `List<'_, …>`",
            counted(count, "element"),
            spelled(&parameter.ty)
        );
        let place = parameter.type_span();
        Some(quote_spanned!(place=> const _: () = __torchop::default_length(#ty, #count, #text);))
    };
    arguments.filter_map(check).collect()
}

/// Torch finds a kernel by the tensors among the arguments; one for all devices needs none.
pub(super) fn reached(op: &TokenStream, keys: &[Key]) -> TokenStream {
    let needs_tensors = keys.iter().filter(|key| !key.torch.starts_with("Composite"));
    let check = needs_tensors.map(|key| {
        let place = key.span.resolved_at(Span::call_site());
        let constant = Ident::new("WITHOUT_TENSORS", place);
        quote_spanned!(place=> const _: () = __torchop::reached(<#op as __torchop::Op>::#constant);)
    });
    check.collect()
}

/// Each parameter has the type of its slot. `check` is the function in the runtime: `kernel_argument` and the like.
pub(super) fn types(callee: &Callee, check: &str) -> TokenStream {
    callee.parameters.iter().map(|parameter| type_check(parameter, check)).collect()
}

fn type_check(parameter: &Parameter, check: &str) -> TokenStream {
    let span = parameter.type_span();
    let (check, slot, ty) = (Ident::new(check, span), slot(&parameter.name), parameter.schema_type());
    quote_spanned!(span=> const _: () = __torchop::#check(#ty, #slot);)
}

/// The parameters stand in the schema's order. In one constant, which ends at the first that does not: two that were
/// swapped are one mistake.
pub(super) fn order(callee: &Callee) -> TokenStream {
    let check = |(position, parameter): (u16, &Parameter)| {
        let slot = slot(&parameter.name);
        quote_spanned!(parameter.name_span()=> __torchop::in_order(#slot, #position);)
    };
    let checks: TokenStream = (0..).zip(&callee.parameters).map(check).collect();
    quote!(const _: () = { #checks };)
}

/// The number of arguments is the schema's.
pub(super) fn count(callee: &Callee, op: &TokenStream) -> TokenStream {
    let (count, expected, text) = (callee.parameters.len(), op_constant(op, "COUNT"), op_constant(op, "TAKES"));
    quote_spanned!(callee.name_span()=> const _: () = __torchop::takes(#count, #expected, #text);)
}

/// The return type is the schema's. `types` is what the function returns, as an `Option`.
fn returns(callee: &Callee, op: &TokenStream, check: &str, types: &TokenStream) -> TokenStream {
    let check = Ident::new(check, callee.output_span);
    let text = if check.to_string().starts_with("fake") { "FAKE_RETURN_TEXT" } else { "RETURN_TEXT" };
    let (count, expected, text) = (op_constant(op, "COUNT"), op_constant(op, "RETURNS"), op_constant(op, text));
    quote_spanned!(callee.output_span=> const _: () = __torchop::#check(#types, #count, #expected, #text);)
}

/// For a kernel or a fake (`check` is `returns` or `fake_returns`): a return type that torch does not know is reported here.
pub(super) fn kernel_returns(callee: &Callee, op: &TokenStream, check: &str) -> TokenStream {
    let output = &callee.output;
    let types =
        quote_spanned!(callee.output_span=> ::core::option::Option::Some(<#output as __torchop::Returned>::TYPES));
    returns(callee, op, check, &types)
}

/// For a definition, where the signature of the function that users call has reported it.
pub(super) fn definition_returns(callee: &Callee, op: &TokenStream) -> TokenStream {
    let output = &callee.output;
    returns(callee, op, "returns", &quote!(__torchop::Quiet::<#output>::TYPES))
}

/// The arguments can be passed on to the dispatcher.
pub(super) fn callable(callee: &Callee, op: &TokenStream) -> TokenStream {
    let (types, output) = (callee.parameters.iter().map(|parameter| &parameter.ty), &callee.output);
    let arguments = quote!((#(#types,)*));
    quote_spanned! {callee.name_span()=>
        const _: () = {
            use __torchop::NotCalled as _;
            __torchop::callable(
                __torchop::Read::<#arguments>::FITS,
                __torchop::Call::<#op, #arguments, #output>::FITS,
                __torchop::Quiet::<#output>::TYPES,
            );
        };
    }
}

/// Nothing but a reference to the function that users call, which need not be called from Rust. At the return type: a
/// wrong one is reported there already.
pub(super) fn used(callee: &Callee, function: &Function) -> TokenStream {
    let mut name = callee.name.clone();
    name.set_span(callee.output_span);
    let deprecated = function.attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
    let quiet = deprecated.then(|| quote!(#[allow(deprecated)]));
    quote!(#quiet const _: () = { let _ = #name; };)
}
