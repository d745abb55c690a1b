//! Checks on a schema as a whole. Each is one function, with its rule above it.

use crate::error::SchemaError;
use crate::model::{Argument, DefaultValue, Schema};
use crate::types::Type;

/// What torch takes and then gets wrong; for [`crate::parse`] only.
pub(crate) fn check(schema: &Schema) -> Vec<SchemaError> {
    let mut mistakes = names_differ(schema);
    mistakes.extend(results_differ(schema));
    mistakes.extend(schema.arguments.iter().filter_map(|argument| default_fits(argument).err()));
    mistakes.extend(schema.arguments.iter().filter_map(default_length));
    mistakes
}

/// A positional argument after one with a default has a default too. Torch lets lists be, for old files.
///
/// ```text
/// f(int a=1, int b) -> ()        refused
/// f(int a=1, int[] b) -> ()      taken
/// f(int a=1, *, int b) -> ()     taken
/// ```
pub(crate) fn check_order(schema: &Schema) -> Result<(), SchemaError> {
    let mut before: Option<&Argument> = None;
    for argument in &schema.arguments {
        if argument.default.is_some() {
            before = Some(argument);
            continue;
        }
        let free = argument.kwarg_only || matches!(argument.ty, Type::List(..));
        if let Some(before) = before.filter(|_| !free) {
            let message = format!("argument `{}` has no default, `{}` before it has one", argument.name, before.name);
            let error = SchemaError::new(argument.span.clone(), message);
            return Err(error.help(format!("give `{}` a default, or write `*` before it", argument.name)));
        }
    }
    Ok(())
}

/// No two arguments have one name: the second could never be given by name.
///
/// ```text
/// f(int a, int a) -> ()          refused
/// ```
fn names_differ(schema: &Schema) -> Vec<SchemaError> {
    let mut seen = std::collections::HashSet::new();
    let again = schema.arguments.iter().filter(|argument| !seen.insert(argument.name.as_str()));
    let mistake = |argument: &Argument| {
        let message = format!("two arguments are named `{}`", argument.name);
        SchemaError::new(argument.name_span.clone(), message).help("rename one")
    };
    again.map(mistake).collect()
}

/// Nor have two results: who asks for one by name would get the first.
///
/// ```text
/// f(int a) -> (int b, int b)     refused
/// f(int a) -> (int a, int b)     taken: torch's own operators call a result like the argument that it was written to
/// ```
fn results_differ(schema: &Schema) -> Vec<SchemaError> {
    let mut seen = std::collections::HashSet::new();
    let named = schema.returns.iter().filter_map(|result| result.name.as_deref().map(|name| (name, result)));
    let again = named.filter(|(name, _)| !seen.insert(*name));
    again
        .map(|(name, result)| {
            SchemaError::new(result.span.clone(), format!("two results are named `{name}`")).help("rename one")
        })
        .collect()
}

/// The default of a list with a size has as many elements, or none where the function sees to it. A size of one is torch's
/// way to say that a number will do.
///
/// ```text
/// f(int[2] a=[1, 2, 3]) -> ()    refused: torch passes all three
/// f(int[2] a=[1, 2]) -> ()       taken
/// f(int[2] a=1) -> ()            taken: torch passes it twice
/// f(int[2] a=[]) -> ()           taken, as torch's own operators have it
/// f(int[1] a=[1, 2]) -> ()       taken, likewise
/// ```
fn default_length(argument: &Argument) -> Option<SchemaError> {
    let (Some(DefaultValue::List(values)), Some(span)) = (&argument.default, &argument.default_span) else {
        return None;
    };
    let Type::List(_, Some(size @ 2..)) = &argument.ty else { return None };
    let given = values.len();
    (given != 0 && given != *size as usize).then(|| {
        let elements = if given == 1 { "element" } else { "elements" };
        let message = format!("the default has {given} {elements}, `{}` has {size}", argument.ty);
        SchemaError::new(span.clone(), message).help(format!("write {size} elements, or one number that torch repeats"))
    })
}

/// A default has its argument's type: torch stores it as it is, and the kernel gets what it does not expect.
///
/// ```text
/// f(int a=1.5) -> ()             refused
/// f(str a=None) -> ()            refused
/// f(float? a=1) -> ()            refused: an int is stored; `1.` is right
/// f(Device? a='cpu') -> ()       refused: a string is stored
/// f(float a=1) -> ()             taken: torch reads a float here
/// ```
fn default_fits(argument: &Argument) -> Result<(), SchemaError> {
    let (Some(default), Some(span)) = (&argument.default, &argument.default_span) else { return Ok(()) };
    if fits(default, &argument.ty) {
        return Ok(());
    }
    let ty = &argument.ty;
    let error = SchemaError::new(span.clone(), format!("`{}` is no default for `{ty}`", shown(default)));
    Err(match (default, ty.without_optional()) {
        (DefaultValue::None, _) => error.help(format!("write `{ty}?`")),
        (DefaultValue::Int(value), Type::Float) => error.help(format!("write `{value}.`")),
        (DefaultValue::Int(value @ (0 | 1)), Type::Bool) => {
            error.help(format!("write `{}`", if *value == 1 { "True" } else { "False" }))
        }
        (_, Type::Device | Type::List(..)) => error.help("write `None`, and set the value in the function"),
        (_, Type::Bool) => error.help("write `True` or `False`"),
        (_, Type::Str) => error.help("write text in quotes"),
        (_, inner) => error.help(format!("write a value of type `{inner}`")),
    })
}

fn shown(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Str(text) => format!("'{}'", text.escape_debug()),
        other => other.to_string(),
    }
}

fn fits(default: &DefaultValue, ty: &Type) -> bool {
    use DefaultValue as D;
    match (default, ty) {
        (D::None, Type::Optional(_) | Type::Tensor | Type::Generator | Type::Quantizer) => true,
        // The parser has looked at these.
        (D::Device(_), Type::Device) | (D::List(_) | D::Repeated(..), Type::List(..)) => true,
        (_, Type::Optional(inner)) => !matches!(**inner, Type::Device | Type::List(..)) && fits(default, inner),
        (_, Type::Any | Type::Variable(_)) => true,
        (_, Type::Union(parts)) => parts.iter().any(|part| fits(default, part)),
        (D::Bool(_), Type::Bool | Type::Scalar) => true,
        (D::Int(_), ty) => matches!(ty, Type::Scalar) || matches!(ty.clone().on_stack(), Type::Int),
        (D::Float(_), Type::Float | Type::Scalar) => true,
        (D::Imaginary(_), Type::Complex | Type::Scalar) => true,
        (D::Str(_), Type::Str) => true,
        _ => false,
    }
}
