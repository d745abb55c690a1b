//! Defaults of arguments as compile-time data, for definitions that have no schema text.

use crate::names::DTYPES;
use crate::numbers::Float;
use crate::schema_type::{SchemaType, same_text};
use core::fmt;

/// The default of an argument, as a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchemaDefault {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// Text: for `str`, and for `Device`, as in `cuda:0`.
    Str(&'static str),
    /// A dtype such as `float32`, `strided` or `contiguous_format`.
    Word(&'static str),
    /// `[1, 2]`
    List(&'static [SchemaDefault]),
}

impl SchemaDefault {
    /// Whether torch reads it as a value of the type.
    pub const fn fits(&self, ty: &SchemaType) -> bool {
        use SchemaDefault as D;
        use SchemaType as T;
        match (self, ty) {
            (_, T::Unknown) | (D::None, T::Optional(_)) => true,
            (_, T::Sizes(inner)) => self.fits(inner),
            // Torch takes no list for an optional list, and stores a device's name as text.
            (_, T::Optional(T::List(_) | T::Array(..) | T::Device)) => false,
            (_, T::Optional(inner)) => self.fits(inner),
            (D::Bool(_), T::Bool | T::Scalar) => true,
            (D::Int(_), T::Int | T::SymInt | T::Float | T::Scalar) => true,
            (D::Float(value), T::Float | T::Scalar) => value.is_finite(),
            (D::Str(_), T::Str | T::Device) => true,
            (D::Word(word), T::ScalarType) => is_dtype(word),
            (D::Word(word), T::Layout) => same_text(word, "strided"),
            (D::Word(word), T::MemoryFormat) => same_text(word, "contiguous_format"),
            (D::List(values), T::List(_)) => list_fits(values, ty),
            (D::List(values), T::Array(_, length)) => values.len() == *length as usize && list_fits(values, ty),
            _ => false,
        }
    }

    /// As text that torch reads back as this value, for an argument of this type.
    pub fn text(&self, ty: &SchemaType) -> String {
        Shown { default: self, ty }.to_string()
    }
}

const fn list_fits(values: &[SchemaDefault], list: &SchemaType) -> bool {
    let Some(element) = list.element() else { return false };
    if !matches!(element, SchemaType::Int | SchemaType::SymInt | SchemaType::Float | SchemaType::Bool) {
        return false;
    }
    let mut i = 0;
    while i < values.len() {
        if matches!(values[i], SchemaDefault::None) || !values[i].fits(element) {
            return false;
        }
        i += 1;
    }
    true
}

const fn is_dtype(word: &str) -> bool {
    let mut i = 0;
    while i < DTYPES.len() {
        if same_text(DTYPES[i].0, word) {
            return true;
        }
        i += 1;
    }
    false
}

struct Shown<'a> {
    default: &'a SchemaDefault,
    ty: &'a SchemaType,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_float = match self.ty {
            SchemaType::Optional(inner) => matches!(inner, SchemaType::Float),
            ty => matches!(ty, SchemaType::Float),
        };
        match self.default {
            SchemaDefault::None => f.write_str("None"),
            SchemaDefault::Bool(true) => f.write_str("True"),
            SchemaDefault::Bool(false) => f.write_str("False"),
            SchemaDefault::Int(value) => write!(f, "{value}{}", if is_float { "." } else { "" }),
            SchemaDefault::Float(value) => write!(f, "{}", Float(*value)),
            SchemaDefault::Str(text) => quoted(f, text),
            SchemaDefault::Word(word) => f.write_str(word),
            SchemaDefault::List(values) => {
                let element = self.ty.element().unwrap_or(&SchemaType::Unknown);
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, Shown { default: value, ty: element })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Text between quotes as torch reads it: with the escapes that it knows, everything else as it is.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '\\' => f.write_str("\\\\")?,
            '"' => f.write_str("\\\"")?,
            '\n' => f.write_str("\\n")?,
            c if c.is_ascii_control() => write!(f, "\\{:03o}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::{SchemaDefault as D, SchemaType as T};

    #[test]
    fn what_fits_reads_back_as_the_same() {
        let cases = [
            (D::None, T::Optional(&T::Tensor), "None"),
            (D::Bool(true), T::Optional(&T::Bool), "True"),
            (D::Int(-3), T::Int.with_sizes(), "-3"),
            (D::Int(2), T::Optional(&T::Float), "2."),
            (D::Float(0.5), T::Scalar, "0.5"),
            (D::Float(1e300), T::Float, "1.0000000000000001e+300"),
            (D::Str("a\"b\\\n\u{1}é"), T::Str, "\"a\\\"b\\\\\\n\\001é\""),
            (D::Str("cuda:0"), T::Device, "\"cuda:0\""),
            (D::Word("float32"), T::Optional(&T::ScalarType), "float32"),
            (D::Word("strided"), T::Layout, "strided"),
            (D::List(&[D::Int(1), D::Int(2)]), T::List(&T::Int).with_sizes(), "[1, 2]"),
            (D::List(&[D::Int(1), D::Float(2.5)]), T::List(&T::Float), "[1., 2.5]"),
        ];
        for (default, ty, expected) in cases {
            assert!(default.fits(&ty), "{default:?} {ty}");
            assert_eq!(default.text(&ty), expected);
            let schema = crate::parse(&format!("a::b({ty} x={expected}) -> ()"));
            assert!(schema.is_ok(), "{schema:?}");
        }
    }

    #[test]
    fn what_does_not_fit() {
        const ONE: &[D] = &[D::Int(1)];
        let cases = [
            (D::None, T::Int),
            (D::Float(1.5), T::Int),
            (D::Int(1), T::Bool),
            (D::Bool(true), T::Int),
            (D::Str("x"), T::ScalarType),
            (D::Word("float3"), T::ScalarType),
            (D::Str("cpu"), T::Optional(&T::Device)),
            (D::List(ONE), T::Optional(&T::List(&T::Int))),
            (D::List(ONE), T::List(&T::Str)),
            (D::List(&[D::None]), T::List(&T::Int)),
            (D::Int(1), T::Complex),
        ];
        for (default, ty) in cases {
            assert!(!default.fits(&ty), "{default:?} {ty}");
        }
    }
}
