//! The schema of a definition, read and checked for what torchop can serve.

mod alias;
pub(crate) mod guess;
pub(crate) mod namespace;
pub(crate) mod rust_type;

use crate::errors::Errors;
use crate::names::canonical;
use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;
use torchop_schema::{DefaultValue, OperatorName, Type};

/// A schema that torchop can serve.
pub(crate) struct Schema {
    /// `ns::name`
    pub(crate) name: String,
    /// The part after the dot, or empty.
    pub(crate) overload: String,
    /// The whole schema as its author wrote it, which is what torch reads.
    pub(crate) text: String,
    /// The same as torch prints it, which is for people: torch cannot always read it.
    pub(crate) printed: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) outputs: Vec<Output>,
    /// The part after the arrow.
    pub(crate) outputs_text: String,
}

pub(crate) struct Argument {
    /// As the schema has it.
    pub(crate) name: String,
    /// As Rust has it.
    pub(crate) rust_name: String,
    /// Without alias annotations.
    pub(crate) ty: Type,
    /// Whether the operator writes to it: `Tensor(a!)`.
    pub(crate) is_written: bool,
    /// The default of a `str`.
    pub(crate) default_text: Option<String>,
    /// How many elements the default of a list has, where the type does not say the same.
    pub(crate) default_count: Option<usize>,
    text: String,
}

pub(crate) struct Output {
    /// Its name, or `output`, or `output0`, `output1`, …
    pub(crate) rust_name: String,
    pub(crate) ty: Type,
}

impl Argument {
    /// `Tensor(a!) x`
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether autograd looks at it.
    pub(crate) fn holds_tensors(&self) -> bool {
        holds_tensors(&self.ty)
    }

    /// Its Rust type, as a user would write it.
    pub(crate) fn rust(&self, in_fake: bool) -> String {
        match (&self.ty, self.is_written && !in_fake) {
            (Type::Optional(_), true) => "Option<&mut Tensor>".to_owned(),
            (Type::List(..), true) => "&mut [Tensor]".to_owned(),
            (_, true) => "&mut Tensor".to_owned(),
            (ty, false) => rust_type::argument(ty, in_fake).unwrap_or_else(|| "_".to_owned()),
        }
    }

    /// Its type as a constant of the runtime's.
    pub(crate) fn constant(&self) -> TokenStream {
        let written = quote!(__torchop::SchemaType::Mutable(&__torchop::SchemaType::Tensor));
        match (&self.ty, self.is_written) {
            (Type::Optional(_), true) => quote!(__torchop::SchemaType::Optional(&#written)),
            (Type::List(..), true) => {
                quote!(__torchop::SchemaType::Mutable(&__torchop::SchemaType::List(&__torchop::SchemaType::Tensor)))
            }
            (_, true) => written,
            (ty, false) => rust_type::constant(ty),
        }
    }
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor => true,
        Type::Optional(inner) | Type::List(inner, _) => holds_tensors(inner),
        _ => false,
    }
}

/// Reads the schema; what is wrong with it is reported at the literal, with a row of `^` under the place in it. `foreign`: another
/// library has defined the operator.
pub(crate) fn read(literal: &LitStr, foreign: bool, errors: &Errors) -> Option<Schema> {
    let text = literal.value();
    let parsed = match torchop_schema::parse_all(&text) {
        Ok(parsed) => parsed,
        Err(mistakes) => {
            mistakes.iter().for_each(|mistake| errors.at(literal, mistake.render(&text)));
            return None;
        }
    };
    let report = Report { literal, text: &text, foreign, errors };
    namespace::check(&parsed.name, &report);
    check_form(&parsed, &report);
    alias::check(&parsed, &report);
    check_types(&parsed, &report);
    Some(model(&text, &parsed))
}

/// Reads a name alone, `ns::name.overload`, likewise.
pub(crate) fn read_name(literal: &LitStr, foreign: bool, errors: &Errors) -> Option<OperatorName> {
    let text = literal.value();
    match torchop_schema::parse_name(&text) {
        Ok(name) => {
            namespace::check(&name, &Report { literal, text: &text, foreign, errors });
            Some(name)
        }
        Err(error) => {
            errors.at(literal, error.render(&text));
            None
        }
    }
}

/// `ns::name`, without the overload.
pub(crate) fn qualified(name: &OperatorName) -> String {
    format!("{}::{}", name.namespace.as_deref().unwrap_or_default(), name.name)
}

/// Reports at a place inside the literal.
struct Report<'a> {
    literal: &'a LitStr,
    text: &'a str,
    foreign: bool,
    errors: &'a Errors,
}

impl Report<'_> {
    fn at(&self, span: std::ops::Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let error = torchop_schema::SchemaError { span, message: message.into(), help: Some(help.into()) };
        self.errors.at(self.literal, error.render(self.text));
    }
}

fn check_form(schema: &torchop_schema::Schema, report: &Report<'_>) {
    if schema.is_vararg || schema.is_varret {
        let at = report.text.find("...").unwrap_or_default();
        report.at(
            at..at + 3,
            "`...` is not supported",
            "a Rust function has a fixed number of arguments and results; take a list",
        );
    }
    let mut seen: Vec<String> = Vec::new();
    for argument in &schema.arguments {
        let name = canonical(&argument.name);
        if seen.contains(&name) {
            report.at(argument.name_span.clone(), format!("two arguments are called `{name}` in Rust"), "rename one");
        }
        seen.push(name);
    }
}

fn check_types(schema: &torchop_schema::Schema, report: &Report<'_>) {
    for argument in &schema.arguments {
        if rust_type::argument(&argument.ty, false).is_none() {
            no_type(&argument.ty, "", argument.type_span.clone(), report);
        }
    }
    for output in &schema.returns {
        if rust_type::output(&output.ty, false).is_none() {
            let place = if rust_type::argument(&output.ty, false).is_some() { " as a result" } else { "" };
            no_type(&output.ty, place, output.type_span.clone(), report);
        }
    }
}

fn no_type(ty: &Type, place: &str, span: std::ops::Range<usize>, report: &Report<'_>) {
    report.at(
        span,
        format!("torchop has no Rust type for `{ty}`{place}"),
        format!("types that it has: {}", rust_type::SUPPORTED),
    );
}

fn model(text: &str, parsed: &torchop_schema::Schema) -> Schema {
    let text = alias::with_letters(text, parsed);
    // It differs from what was parsed at most in letters.
    let lettered = torchop_schema::parse(&text);
    let parsed = lettered.as_ref().unwrap_or(parsed);
    let arguments = parsed.arguments.iter().map(|argument| Argument {
        name: argument.name.clone(),
        rust_name: canonical(&argument.name),
        ty: argument.ty.clone(),
        is_written: argument.is_mutable(),
        default_text: match &argument.default {
            Some(DefaultValue::Str(text)) => Some(text.clone()),
            _ => None,
        },
        default_count: match (&argument.default, &argument.ty) {
            (Some(DefaultValue::List(values)), Type::List(_, Some(size))) if values.len() == *size as usize => None,
            (Some(DefaultValue::List(values)), Type::List(..)) => Some(values.len()),
            _ => None,
        },
        text: torchop_schema::Argument { default: None, ..argument.clone() }.to_string(),
    });
    let one = parsed.returns.len() == 1;
    let outputs = parsed.returns.iter().enumerate().map(|(index, output)| Output {
        rust_name: match &output.name {
            Some(name) => canonical(name),
            None if one => "output".to_owned(),
            None => format!("output{index}"),
        },
        ty: output.ty.clone(),
    });
    let printed = parsed.to_string();
    Schema {
        name: qualified(&parsed.name),
        overload: parsed.name.overload.clone(),
        arguments: arguments.collect(),
        outputs: outputs.collect(),
        outputs_text: printed.rsplit_once(" -> ").map_or_else(String::new, |(_, outputs)| outputs.to_owned()),
        text,
        printed,
    }
}
