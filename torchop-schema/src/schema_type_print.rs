//! A [`SchemaType`] as torch writes it.

use crate::schema_type::SchemaType;
use core::fmt;

/// A mutable type prints without its alias letter.
impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, false, None)
    }
}

impl SchemaType {
    /// With `letter` as the alias annotation of what is written to: `Tensor(a!)?`.
    pub fn with_letter(&self, letter: char) -> impl fmt::Display {
        Lettered { ty: *self, letter }
    }
}

struct Lettered {
    ty: SchemaType,
    letter: char,
}

impl fmt::Display for Lettered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.ty, false, Some(self.letter))
    }
}

/// `sizes`: `int` is `SymInt`.
fn write(f: &mut fmt::Formatter<'_>, ty: &SchemaType, sizes: bool, letter: Option<char>) -> fmt::Result {
    use SchemaType as T;
    let end = match ty {
        T::Tensor | T::FakeTensor => "Tensor",
        T::Int if sizes => "SymInt",
        T::Int => "int",
        T::SymInt => "SymInt",
        T::Float => "float",
        T::Bool => "bool",
        T::Str => "str",
        T::Scalar => "Scalar",
        T::Complex => "complex",
        T::ScalarType => "ScalarType",
        T::Device => "Device",
        T::Layout => "Layout",
        T::MemoryFormat => "MemoryFormat",
        T::Generator => "Generator",
        T::Stream => "Stream",
        T::Any => "Any",
        T::None => "NoneType",
        T::Unknown => "?",
        T::Class(name) => name,
        T::Sizes(inner) => return write(f, inner, true, letter),
        T::Mutable(T::List(element)) => {
            write(f, element, sizes, letter)?;
            letter.map_or(Ok(()), |letter| write!(f, "({letter}!)"))?;
            "[]"
        }
        T::Mutable(inner) => {
            write(f, inner, sizes, letter)?;
            return letter.map_or(Ok(()), |letter| write!(f, "({letter}!)"));
        }
        T::Optional(inner) => {
            write(f, inner, sizes, letter)?;
            "?"
        }
        // What is inferred of an array is a list: torch would make one of a single number.
        T::List(inner) | T::Array(inner, _) => {
            write(f, inner, sizes, letter)?;
            "[]"
        }
        T::Dict(key, value) => {
            f.write_str("Dict(")?;
            write(f, key, false, letter)?;
            f.write_str(", ")?;
            write(f, value, false, letter)?;
            ")"
        }
        T::Tuple(parts) => {
            f.write_str("(")?;
            for (i, part) in parts.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write(f, part, false, letter)?;
            }
            ")"
        }
    };
    f.write_str(end)
}

#[cfg(test)]
mod tests {
    use super::SchemaType as T;

    #[test]
    fn prints_as_torch() {
        const NESTED: T = T::Optional(&T::List(&T::Tuple(&[T::Tensor, T::Dict(&T::Str, &T::None)])));
        assert_eq!(NESTED.to_string(), "(Tensor, Dict(str, NoneType))[]?");
        assert_eq!(T::Optional(&T::List(&T::Int)).with_sizes().to_string(), "SymInt[]?");
    }

    #[test]
    fn a_letter_stands_before_the_question_mark() {
        const WRITTEN: T = T::Optional(&T::Mutable(&T::Tensor));
        assert_eq!(WRITTEN.with_letter('b').to_string(), "Tensor(b!)?");
        assert_eq!(WRITTEN.to_string(), "Tensor?");
        const LIST: T = T::Mutable(&T::List(&T::Tensor));
        assert_eq!((LIST.with_letter('a').to_string(), LIST.to_string()), ("Tensor(a!)[]".into(), "Tensor[]".into()));
    }
}
