//! The schema of a definition, read and checked for what torchop can serve.

pub(crate) mod namespace;
pub(crate) mod rust_type;

use crate::errors::Errors;
use crate::names::canonical;
use syn::LitStr;
use torchop_schema::Type;

/// A schema that torchop can serve.
pub(crate) struct Schema {
    /// `ns::name`
    pub(crate) name: String,
    /// The part after the dot, or empty.
    pub(crate) overload: String,
    /// The whole schema as torch prints it.
    pub(crate) text: String,
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
    pub(crate) ty: Type,
}

pub(crate) struct Output {
    /// Its name, or `output`, or `output0`, `output1`, …
    pub(crate) rust_name: String,
    pub(crate) ty: Type,
}

impl Argument {
    /// `Tensor x`
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.ty, self.name)
    }

    /// Whether autograd looks at it.
    pub(crate) fn holds_tensors(&self) -> bool {
        holds_tensors(&self.ty)
    }
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor => true,
        Type::Optional(inner) | Type::List(inner, _) => holds_tensors(inner),
        _ => false,
    }
}

/// Reads the schema; what is wrong with it is reported at the literal, with a row of `^` under the place in it.
pub(crate) fn read(literal: &LitStr, errors: &Errors) -> Option<Schema> {
    let text = literal.value();
    let parsed = match torchop_schema::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.at(literal, error.render(&text));
            return None;
        }
    };
    let report = Report { literal, text: &text, errors };
    namespace::check(&parsed.name, &report);
    check_form(&parsed, &report);
    check_types(&parsed, &report);
    Some(model(&parsed))
}

/// Reports at a place inside the literal.
struct Report<'a> {
    literal: &'a LitStr,
    text: &'a str,
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
        if argument.is_mutable() {
            report.at(
                argument.type_span.clone(),
                "arguments that are written to are not supported yet",
                "return a new tensor",
            );
        } else if argument.alias.is_some() {
            report.at(
                argument.type_span.clone(),
                "an operator cannot return a view of its argument",
                "leave the alias annotation out, and return a new tensor",
            );
        } else if rust_type::argument(&argument.ty, false).is_none() {
            not_yet(&argument.ty, argument.type_span.clone(), report);
        }
    }
    for output in &schema.returns {
        // An alias annotation here repeats that of an argument, which is reported there.
        if output.alias.is_none() && rust_type::output(&output.ty).is_none() {
            not_yet(&output.ty, output.type_span.clone(), report);
        }
    }
}

fn not_yet(ty: &Type, span: std::ops::Range<usize>, report: &Report<'_>) {
    report.at(
        span,
        format!("torchop has no Rust type for `{ty}` yet"),
        format!("types that it has: {}", rust_type::SUPPORTED),
    );
}

fn model(parsed: &torchop_schema::Schema) -> Schema {
    let arguments = parsed.arguments.iter().map(|argument| Argument {
        name: argument.name.clone(),
        rust_name: canonical(&argument.name),
        ty: argument.ty.clone(),
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
    let text = parsed.to_string();
    Schema {
        name: format!("{}::{}", parsed.name.namespace.as_deref().unwrap_or_default(), parsed.name.name),
        overload: parsed.name.overload.clone(),
        arguments: arguments.collect(),
        outputs: outputs.collect(),
        outputs_text: text.rsplit_once(" -> ").map_or_else(String::new, |(_, outputs)| outputs.to_owned()),
        text,
    }
}
