//! What to write instead of a type or a default that torch does not know.

use std::ops::Range;

use crate::error::SchemaError;
use crate::names;
use crate::spelling::{self, Foreign};
use crate::types::{COMPOUND, NAMED, Type};

/// Types that stand first in a list of what there is.
const COMMON: &str = "`Tensor`, `int`, `SymInt`, `float`, `bool`, `str`, `Scalar`, `ScalarType`, `Device`";

/// The name of a type that torch does not have.
pub(crate) fn unknown_type(text: &str, name: &str, span: Range<usize>) -> SchemaError {
    let after = text.get(span.end..).unwrap_or_default().trim_start();
    if let Some(rest) = after.strip_prefix(':').filter(|rest| !rest.starts_with(':')) {
        let offset = text.len() - rest.len();
        if let Some(ty) = spelling::foreign(rest) {
            let message = format!("found `{name}:`, expected a type before the name");
            let error = SchemaError::new(span.start..offset + ty.length, message);
            return error.help(format!("write `{} {name}`", ty.schema));
        }
    }
    if let Some(error) = foreign(text, &span) {
        return error;
    }
    let error = SchemaError::new(span, format!("unknown type `{name}`"));
    if name == "Dimname" {
        return error.help("named tensors are gone from torch; write `str`");
    }
    let known = NAMED.iter().map(|(known, _)| *known).filter(|known| *known != "None");
    match nearest(name, known.chain(COMPOUND.iter().copied())) {
        Some(known) => error.help(format!("write `{known}`")),
        None if name.split('.').count() == 2 => {
            error.help(format!("write `__torch__.torch.classes.{name}` where a class is meant"))
        }
        None => error.help(format!(
            "the types are {COMMON} and others, with `?` for an optional and `[]` for a list; a class is \
             `__torch__.torch.classes.ns.Name`"
        )),
    }
}

/// A type in the spelling of Rust, Python or C++ at `span`, where no schema type can start.
pub(crate) fn no_type(text: &str, span: &Range<usize>) -> Option<SchemaError> {
    foreign(text, span)
}

fn foreign(text: &str, span: &Range<usize>) -> Option<SchemaError> {
    let rest = text.get(span.start..)?;
    let Foreign { length, schema } = spelling::foreign(rest)?;
    let written = rest.get(..length)?.trim_end();
    if written == schema {
        return None;
    }
    let end = span.start + written.len();
    let error = SchemaError::new(span.start..end, format!("unknown type `{}`", written.escape_debug()));
    let also = if schema == "int" && spelling::is_size(written) { ", or `SymInt` for a size" } else { "" };
    Some(error.help(format!("write `{schema}`{also}")))
}

/// A word that is no default.
pub(crate) fn unknown_default(word: &str, ty: &Type, span: Range<usize>) -> SchemaError {
    let error = SchemaError::new(span, format!("`{word}` is no default for `{ty}`"));
    let python = match word {
        "true" | "TRUE" => Some("True"),
        "false" | "FALSE" => Some("False"),
        "none" | "null" | "nullopt" | "nil" | "undefined" => Some("None"),
        _ => None,
    };
    let same = |other: &Type| ty.without_optional() == other;
    if let Some(python) = python {
        return error.help(format!("write `{python}`"));
    }
    if same(&Type::ScalarType) {
        return match nearest(word, names::DTYPES.iter().map(|(name, _)| *name)) {
            Some(name) => error.help(format!("write `{name}`")),
            None => error.help("write a dtype such as `float32`"),
        };
    }
    if same(&Type::Layout) {
        return error.help("write `strided`, or the layout's number");
    }
    if same(&Type::MemoryFormat) {
        return error.help("write `contiguous_format`, or the memory format's number");
    }
    if same(&Type::Str) {
        return error.help(format!("write `'{word}'`"));
    }
    if matches!(word, "inf" | "nan" | "infinity" | "Infinity" | "NaN") {
        return error.help("torch reads no infinity and no NaN here; write `None` for a `float?`");
    }
    error.help("write a number, `True`, `False`, `None` or text in quotes")
}

/// The name that is closest to `word`: equal without regard to case, or a few letters off.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 32 {
        return None;
    }
    let limit = if word.len() <= 3 { 1 } else { 2 };
    names
        .map(|name| {
            let distance = if name.eq_ignore_ascii_case(word) { 0 } else { distance(word.as_bytes(), name.as_bytes()) };
            (distance, name)
        })
        .filter(|(distance, name)| *distance <= limit && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to insert, remove, replace or swap with their neighbour.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let change = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        assert_eq!(distance(b"Tenser", b"Tensor"), 1);
        assert_eq!(distance(b"Tnesor", b"Tensor"), 1);
        assert_eq!(distance(b"", b"int"), 3);
        assert_eq!(distance(b"int", b"int"), 0);
    }
}
