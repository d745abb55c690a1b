//! Schemas as torch prints them.
//!
//! Torch keeps alias sets in a hash set, so that `(a|b)` may come out as `(b|a)`, from one run to the next. Here they
//! come out as written.

use std::collections::HashSet;
use std::fmt;

use crate::model::{Alias, Argument, DefaultValue, OperatorName, Return, Schema};
use crate::numbers::{Float, Imaginary};
use crate::strings::write_quoted;
use crate::types::Type;

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}::")?;
        }
        f.write_str(&self.name)?;
        if self.overload.is_empty() { Ok(()) } else { write!(f, ".{}", self.overload) }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        let mut star = false;
        for (i, argument) in self.arguments.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            if argument.kwarg_only && !star {
                f.write_str("*, ")?;
                star = true;
            }
            write!(f, "{argument}")?;
        }
        if self.is_vararg {
            f.write_str(if self.arguments.is_empty() { "..." } else { ", ..." })?;
        }
        f.write_str(") -> ")?;
        self.write_returns(f)
    }
}

impl Schema {
    /// One return stands without parentheses, unless it would then start with one.
    fn write_returns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.returns[..], self.is_varret) {
            ([], true) => return f.write_str("..."),
            ([one], false) => {
                let text = one.to_string();
                return if text.starts_with('(') { write!(f, "({text})") } else { f.write_str(&text) };
            }
            _ => {}
        }
        f.write_str("(")?;
        for (i, one) in self.returns.iter().enumerate() {
            write!(f, "{}{one}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.is_varret { ", ...)" } else { ")" })
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, &self.ty, self.alias.as_ref())?;
        write!(f, " {}", self.name)?;
        let Some(default) = &self.default else { return Ok(()) };
        f.write_str("=")?;
        match (default, &self.ty) {
            (DefaultValue::Str(text), ty) if *ty.without_optional() == Type::Str => write_quoted(f, text),
            (DefaultValue::Repeated(value, 2..), Type::List(element, _)) if **element == Type::Int => {
                write!(f, "{value}")
            }
            (DefaultValue::List(values), Type::List(element, _)) if **element == Type::Int => match &values[..] {
                [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|value| value == first) => {
                    write!(f, "{first}")
                }
                _ => write!(f, "{default}"),
            },
            _ => write!(f, "{default}"),
        }
    }
}

impl fmt::Display for Return {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, &self.ty, self.alias.as_ref())?;
        match &self.name {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}

/// The alias stands before the `?`, and a list's elements have theirs before the `[]`.
fn write_type(f: &mut fmt::Formatter<'_>, ty: &Type, alias: Option<&Alias>) -> fmt::Result {
    match ty.without_optional() {
        Type::List(element, size) => {
            write!(f, "{element}")?;
            if let Some(contained) = alias.and_then(|alias| alias.contained.as_ref()) {
                write!(f, "{contained}")?;
            }
            match size {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        other => write!(f, "{other}")?,
    }
    if let Some(alias) = alias.filter(|alias| !alias.before.is_empty()) {
        write!(f, "{alias}")?;
    }
    f.write_str(if ty.is_optional() { "?" } else { "" })
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}{}", self.before.join("|"), if self.is_write { "!" } else { "" })?;
        if self.before.iter().collect::<HashSet<_>>() != self.after.iter().collect() {
            write!(f, " -> {}", self.after.join("|"))?;
        }
        f.write_str(")")
    }
}

/// As torch prints the value on its own: strings and devices without quotes.
impl fmt::Display for DefaultValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefaultValue::None => f.write_str("None"),
            DefaultValue::Bool(true) => f.write_str("True"),
            DefaultValue::Bool(false) => f.write_str("False"),
            DefaultValue::Int(value) => write!(f, "{value}"),
            DefaultValue::Float(value) => write!(f, "{}", Float(*value)),
            DefaultValue::Imaginary(value) => write!(f, "{}", Imaginary(*value)),
            DefaultValue::Str(text) | DefaultValue::Device(text) => f.write_str(text),
            DefaultValue::List(values) => write_list(f, values.iter()),
            DefaultValue::Repeated(value, size) => write_list(f, (0..*size).map(|_| &**value)),
        }
    }
}

fn write_list<'a>(f: &mut fmt::Formatter<'_>, values: impl Iterator<Item = &'a DefaultValue>) -> fmt::Result {
    f.write_str("[")?;
    for (i, value) in values.enumerate() {
        write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str("]")
}
