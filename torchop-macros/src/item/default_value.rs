//! `#[torch(default = …)]`: a value in Rust's spelling, as torch's schema language has it.

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, Lit, LitStr, UnOp};

/// The default of a parameter.
#[derive(Clone)]
pub(crate) struct DefaultValue {
    /// As it is written.
    pub(crate) text: String,
    /// The text, where it is one: it may have to be a word of an enum.
    pub(crate) string: Option<LitStr>,
    /// A `SchemaDefault`.
    pub(crate) constant: TokenStream,
    span: Span,
}

impl DefaultValue {
    /// The place of the value, for generated code.
    pub(crate) fn span(&self) -> Span {
        self.span.resolved_at(Span::call_site())
    }

    /// Reads a value; reports what is none.
    pub(crate) fn read(value: &Expr, errors: &Errors) -> Option<Self> {
        let constant = constant(value, errors)?;
        let string = match value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.clone()),
                _ => None,
            },
            _ => None,
        };
        Some(DefaultValue { text: spelled(value), string, constant, span: value.span() })
    }
}

fn spelled(value: &Expr) -> String {
    let text = value.to_token_stream().to_string();
    [("- ", "-"), (" ,", ","), ("[ ", "["), (" ]", "]"), (" (", "("), ("( ", "("), (" )", ")"), (" :: ", "::")]
        .iter()
        .fold(text, |text, (spaced, plain)| text.replace(spaced, plain))
}

fn constant(value: &Expr, errors: &Errors) -> Option<TokenStream> {
    match value {
        Expr::Lit(literal) => literal_constant(&literal.lit, false, errors),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
            Expr::Lit(literal) => literal_constant(&literal.lit, true, errors),
            _ => refuse(value, errors),
        },
        Expr::Paren(inner) => constant(&inner.expr, errors),
        Expr::Group(inner) => constant(&inner.expr, errors),
        Expr::Array(array) => {
            let elements: Option<Vec<TokenStream>> =
                array.elems.iter().map(|element| constant(element, errors)).collect();
            elements.map(|elements| quote!(__torchop::SchemaDefault::List(&[#(#elements),*])))
        }
        // `Some(1.0)`: in torch the value alone.
        Expr::Call(call) if call.args.len() == 1 && is_path(&call.func, "Some") => {
            call.args.first().and_then(|inner| constant(inner, errors))
        }
        Expr::Path(path) if is_path(value, "None") => {
            Some(quote!(__torchop::SchemaDefault::None)).filter(|_| path.qself.is_none())
        }
        Expr::Path(path) => match path.path.get_ident() {
            Some(word) => {
                let word = word.unraw().to_string();
                Some(quote!(__torchop::SchemaDefault::Word(#word)))
            }
            None => refuse(value, errors),
        },
        _ => refuse(value, errors),
    }
}

fn is_path(value: &Expr, name: &str) -> bool {
    matches!(value, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn literal_constant(literal: &Lit, negative: bool, errors: &Errors) -> Option<TokenStream> {
    let sign = if negative { "-" } else { "" };
    match literal {
        Lit::Bool(value) if !negative => Some(quote!(__torchop::SchemaDefault::Bool(#value))),
        Lit::Str(text) if !negative => {
            let text = text.value();
            Some(quote!(__torchop::SchemaDefault::Str(#text)))
        }
        Lit::Int(number) => match format!("{sign}{}", number.base10_digits()).parse::<i64>() {
            Ok(value) => Some(quote!(__torchop::SchemaDefault::Int(#value))),
            Err(_) => {
                errors.at(number, "a whole number as a default fits an `i64`");
                None
            }
        },
        Lit::Float(number) => match format!("{sign}{}", number.base10_digits()).parse::<f64>() {
            Ok(value) if value == 0.0 || value.is_normal() => Some(quote!(__torchop::SchemaDefault::Float(#value))),
            _ => {
                errors.at(number, "this number is too large or too small for torch to read as a default");
                None
            }
        },
        _ => refuse(literal, errors),
    }
}

fn refuse(tokens: impl ToTokens, errors: &Errors) -> Option<TokenStream> {
    errors.at(
        tokens,
        "torch cannot read this as a default\n\
         write a number, `true`, `false`, text in quotes, `None`, a list of numbers such as `[1, 2]`, or a word of \
         torch's such as `float32`",
    );
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let errors = Errors::new();
        let value: Expr = syn::parse_str(text).unwrap();
        let read = DefaultValue::read(&value, &errors);
        let _ = errors.finish();
        read.map(|value| value.constant.to_string().replace("__torchop :: SchemaDefault :: ", ""))
    }

    #[test]
    fn values() {
        let cases = [
            ("1", "Int (1i64)"),
            ("-1_000i64", "Int (- 1000i64)"),
            ("-1.5", "Float (- 1.5f64)"),
            ("true", "Bool (true)"),
            ("\"a\\n\"", "Str (\"a\\n\")"),
            ("None", "None"),
            ("Some(2)", "Int (2i64)"),
            ("[1, -2]", "List (& [Int (1i64) , Int (- 2i64)])"),
            ("float32", "Word (\"float32\")"),
        ];
        for (text, constant) in cases {
            assert_eq!(read(text).as_deref(), Some(constant));
        }
        for text in ["a::b", "f(1)", "1 + 1", "'c'", "9223372036854775808", "1e999", "-true", "-x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn is_spelled_as_written() {
        for text in ["[1, -2]", "-1.5", "Some(2)", "\"a b\""] {
            assert_eq!(spelled(&syn::parse_str(text).unwrap()), text);
        }
    }
}
