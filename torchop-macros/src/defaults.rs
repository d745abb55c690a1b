//! The checks of `#[torch(default = …)]`, which need the types.

use crate::item::parameter::Parameter;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::ext::IdentExt;

/// Each default has its argument's type; after the first, only lists are without one.
pub(crate) fn checks(parameters: &[Parameter]) -> TokenStream {
    let mut before: Option<&Parameter> = None;
    let mut checks = TokenStream::new();
    for parameter in parameters {
        let name = parameter.name.unraw();
        match (parameter.options.default_value(), before) {
            (Some(default), _) => {
                before = Some(parameter);
                let (ty, constant) = (parameter.schema_type(), &default.constant);
                let text = format!("`{}` is no default for `{}`", default.text, parameter.spelled());
                checks.extend(
                    quote_spanned!(default.span()=> const _: () = __torchop::default_fits(#ty, #constant, #text);),
                );
                if let Some(word) = &default.string {
                    checks.extend(word_check(parameter, word, &text, default.span()));
                }
            }
            (None, Some(before)) if parameter.options.default.is_none() => {
                let ty = parameter.schema_type();
                let text = format!(
                    "argument `{name}` has no default, and `{}` before it has one; give `{name}` one too, or move it before `{}`",
                    before.name, before.name
                );
                checks.extend(
                    quote_spanned!(parameter.name_span()=> const _: () = __torchop::may_lack_default(#ty, #text);),
                );
            }
            _ => {}
        }
    }
    checks
}

/// The text is a word of the parameter's type, where that is an enum.
pub(crate) fn word_check(
    parameter: &Parameter,
    word: &impl quote::ToTokens,
    text: &str,
    place: proc_macro2::Span,
) -> TokenStream {
    let words = parameter.words();
    quote_spanned!(place=> const _: () = __torchop::default_is_a_word(#words, #word, #text);)
}
