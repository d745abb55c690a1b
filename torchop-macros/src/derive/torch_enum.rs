//! An enum as a `str` argument: one word for each variant.

use super::{crate_path, hidden_block, options};
use crate::errors::Errors;
use crate::text::did_you_mean;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, LitStr, Variant};

/// Parse, check, expand.
pub(crate) fn torch_enum(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let errors = Errors::new();
    let crate_path = crate_path(&input.attrs, &errors);
    let words = check(&input, &errors);
    match errors.finish() {
        Some(errors) => errors,
        None => hidden_block(&crate_path, &expand(&input.ident, &words)),
    }
}

/// A variant and its word.
struct Word<'a> {
    variant: &'a Ident,
    text: String,
}

/// ```text
/// enum Mode { Mean, Sum }                            "mean", "sum"
/// enum Mode { #[torch(name = "none")] Off, On }      "none", "on"
/// enum Mode { A(i64) }                               fields
/// enum Mode<T> { … }, enum Mode {}                   neither
/// ```
fn check<'a>(input: &'a DeriveInput, errors: &Errors) -> Vec<Word<'a>> {
    let Data::Enum(data) = &input.data else {
        errors.at(
            &input.ident,
            "`TorchEnum` is for enums: one word for each variant\na struct becomes a tuple by `TorchTuple`",
        );
        return Vec::new();
    };
    if !input.generics.params.is_empty() {
        errors.at(&input.generics.params, "an enum of words cannot be generic\ntake the parameters away");
    }
    if data.variants.is_empty() {
        errors.at(&input.ident, "an enum of words has at least one variant");
    }
    let mut words: Vec<Word<'a>> = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.at(&variant.fields, format!("a word has no fields\nwrite `{}` alone", variant.ident));
        }
        let text = word(variant, errors);
        if let Some(first) = words.iter().find(|first| first.text == text) {
            errors.at(
                &variant.ident,
                format!("`{}` has the word `{text}` already\nwrite another: `#[torch(name = \"…\")]`", first.variant),
            );
        }
        words.push(Word { variant: &variant.ident, text });
    }
    words
}

fn word(variant: &Variant, errors: &Errors) -> String {
    let mut word = snake_case(&variant.ident.unraw().to_string());
    for option in options(&variant.attrs, errors) {
        let name = option.text();
        if name == "name" {
            if let Some(text) = option.value::<LitStr>("name = \"word\"", errors) {
                word = text.value();
            }
        } else {
            let near = did_you_mean(&name, ["name"]);
            errors.at(&option.name, format!("unknown option `{name}`, expected `name = \"word\"`{near}"));
        }
    }
    word
}

/// `SmoothL1` is `smooth_l1`, `HTTPError` is `http_error`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| letters.get(index));
        let ends_a_word = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
        let starts_a_word = before.is_some_and(|before| before.is_uppercase())
            && letters.get(index + 1).is_some_and(|after| after.is_lowercase());
        if letter.is_uppercase() && (ends_a_word || starts_a_word) {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}

fn expand(ident: &Ident, words: &[Word<'_>]) -> TokenStream {
    let texts = words.iter().map(|word| &word.text);
    let variants: Vec<&Ident> = words.iter().map(|word| word.variant).collect();
    let (positions, same) = (0..words.len(), texts.clone());
    quote! {
        impl __torchop::Word for #ident {
            const WORDS: &'static [&'static str] = &[#(#texts),*];
            fn word(&self) -> &'static str {
                match self { #(#ident::#variants => #same),* }
            }
            fn at(position: usize) -> ::core::option::Option<Self> {
                match position {
                    #(#positions => ::core::option::Option::Some(#ident::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
        __torchop::word!(#ident);
    }
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn words() {
        for (name, word) in [
            ("Mean", "mean"),
            ("SmoothL1", "smooth_l1"),
            ("L1Loss", "l1_loss"),
            ("HTTPError", "http_error"),
            ("A", "a"),
            ("already_snake", "already_snake"),
            ("Äther", "äther"),
        ] {
            assert_eq!(snake_case(name), word);
        }
    }
}
