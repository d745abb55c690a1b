//! The options of an attribute: `flag, name = value, list(of, things)`.
//!
//! Split at the commas before anything is parsed, so that one mistyped option does not hide the others.

use crate::errors::Errors;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;
use syn::{Token, ext::IdentExt};

/// One option.
pub(crate) struct Entry {
    pub(crate) name: Ident,
    value: Value,
}

enum Value {
    Flag,
    Assigned(TokenStream),
    List(TokenStream, Span),
}

/// All options in `tokens`, with what is no option reported.
pub(crate) fn entries(tokens: TokenStream, errors: &Errors) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for part in split_at_commas(tokens) {
        let mut rest = part.clone().into_iter();
        let Some(TokenTree::Ident(name)) = rest.next() else {
            errors.at(part, "expected an option: a name, `name = value` or `name(…)`");
            continue;
        };
        let value = match (rest.next(), rest.clone().next()) {
            (None, _) => Value::Flag,
            (Some(TokenTree::Punct(equals)), _) if equals.as_char() == '=' => Value::Assigned(rest.collect()),
            (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => {
                Value::List(group.stream(), group.span())
            }
            (Some(other), _) => {
                errors.at(other, format!("expected `,`, `=` or `(` after `{name}`"));
                continue;
            }
        };
        if found.iter().any(|entry| entry.name == name) {
            errors.at(&name, format!("`{name}` is given twice"));
            continue;
        }
        found.push(Entry { name, value });
    }
    found
}

fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            (_, None) => {}
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| part.into_iter().collect()).collect()
}

impl quote::ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.name.to_tokens(tokens);
    }
}

impl Entry {
    pub(crate) fn text(&self) -> String {
        self.name.unraw().to_string()
    }

    /// The option stands alone.
    pub(crate) fn flag(&self, errors: &Errors) {
        let name = &self.name;
        match &self.value {
            Value::Flag => {}
            Value::Assigned(value) => errors.at(value, format!("`{name}` takes no value")),
            Value::List(_, span) => errors.at_span(*span, format!("`{name}` takes no list")),
        }
    }

    /// The value after `=`; `form` shows it in messages: `kernel_of = path`.
    pub(crate) fn value<T: Parse>(&self, form: &str, errors: &Errors) -> Option<T> {
        let Value::Assigned(value) = &self.value else {
            errors.at(&self.name, format!("`{}` needs a value: `{form}`", self.name));
            return None;
        };
        if value.is_empty() {
            errors.at(&self.name, format!("`{}` needs a value: `{form}`", self.name));
            return None;
        }
        match syn::parse2(value.clone()) {
            Ok(parsed) => Some(parsed),
            Err(_) => {
                errors.at(value, format!("expected `{form}`"));
                None
            }
        }
    }

    /// As [`Entry::value`], for text.
    pub(crate) fn text_value(&self, form: &str, errors: &Errors) -> Option<syn::LitStr> {
        if let Value::Assigned(value) = &self.value
            && let Ok(other) = syn::parse2::<syn::Expr>(value.clone())
            && matches!(other, syn::Expr::Macro(_) | syn::Expr::Path(_))
        {
            errors.at(
                value,
                format!("expected a string literal: a macro is given no values of constants or other macros\nwrite the text here: `{form}`"),
            );
            return None;
        }
        self.value(form, errors)
    }

    /// Whether the option stands alone.
    pub(crate) fn is_flag(&self) -> bool {
        matches!(self.value, Value::Flag)
    }

    /// The options between the parentheses.
    pub(crate) fn nested(&self, form: &str, errors: &Errors) -> Option<Vec<Entry>> {
        let Value::List(list, _) = &self.value else {
            errors.at(&self.name, format!("`{}` needs a list: `{form}`", self.name));
            return None;
        };
        Some(entries(list.clone(), errors))
    }

    /// The identifiers between the parentheses; `form` shows it in messages: `tags(pointwise)`.
    pub(crate) fn list(&self, form: &str, errors: &Errors) -> Option<Vec<Ident>> {
        let Value::List(list, span) = &self.value else {
            errors.at(&self.name, format!("`{}` needs a list: `{form}`", self.name));
            return None;
        };
        match Punctuated::<Ident, Token![,]>::parse_terminated.parse2(list.clone()) {
            Ok(names) => Some(names.into_iter().collect()),
            Err(_) => {
                errors.at_span(*span, format!("expected names: `{form}`"));
                None
            }
        }
    }
}

/// `like(x)`
pub(crate) struct Like(pub(crate) Ident);

impl Parse for Like {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        if word != "like" {
            return Err(syn::Error::new(word.span(), "expected `like`"));
        }
        let argument;
        syn::parenthesized!(argument in input);
        argument.parse().map(Like)
    }
}
