//! Schema types as compile-time data.
//!
//! The attribute macros emit one [`SchemaType`] per argument from the schema text; the runtime's conversion traits
//! carry one as an associated constant per Rust type. Both are `'static` trees, so that a `const` assertion can
//! compare them, and so that the load hook can print a method's schema without parsing anything.

use core::fmt;

/// A type of torch's schema language, as a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaType {
    /// `Tensor`
    Tensor,
    /// `Tensor` as a fake has it: without data. Stands in Rust types alone; no schema is made of it.
    FakeTensor,
    /// `int`
    Int,
    /// `SymInt`
    SymInt,
    /// `float`
    Float,
    /// `bool`
    Bool,
    /// `str`
    Str,
    /// `Scalar`
    Scalar,
    /// `complex`
    Complex,
    /// `ScalarType`
    ScalarType,
    /// `Device`
    Device,
    /// `Layout`
    Layout,
    /// `MemoryFormat`
    MemoryFormat,
    /// `Generator`
    Generator,
    /// `Stream`
    Stream,
    /// `Any`
    Any,
    /// `NoneType`
    None,
    /// A class registered with torch, by its full name: `__torch__.torch.classes.ns.Name`.
    Class(&'static str),
    /// `T?`
    Optional(&'static SchemaType),
    /// `T[]`
    List(&'static SchemaType),
    /// `Dict(K, V)`
    Dict(&'static SchemaType, &'static SchemaType),
    /// `(A, B)`
    Tuple(&'static [SchemaType]),
    /// An argument that the operator writes to: `Tensor(a!)` and the like, without its letter.
    Mutable(&'static SchemaType),
    /// Fits everything. Stands in a definition that is in error, so that one mistake is one message.
    Unknown,
}

impl SchemaType {
    /// Whether a function may take or return `self` where the schema has `schema`: the same type, where `SymInt` in the
    /// schema also fits `int` (kernels see concrete sizes) and [`SchemaType::Unknown`] fits everything.
    pub const fn fits_kernel(&self, schema: &SchemaType) -> bool {
        fits(self, schema, true)
    }

    /// As [`SchemaType::fits_kernel`], for fakes: `SymInt` in the schema is `SymInt` in the function, since sizes are
    /// symbolic while torch traces, and `Tensor` is a tensor without data.
    pub const fn fits_fake(&self, schema: &SchemaType) -> bool {
        fits(self, schema, false)
    }
}

const fn fits(rust: &SchemaType, schema: &SchemaType, concrete: bool) -> bool {
    use SchemaType as T;
    match (rust, schema) {
        (T::Unknown, _) | (_, T::Unknown) => true,
        (T::Int, T::SymInt) => concrete,
        (T::Tensor, T::Tensor) => concrete,
        (T::FakeTensor, T::Tensor) => !concrete,
        // A fake has nothing to write to.
        (_, T::Mutable(b)) if !concrete => !matches!(rust, T::Mutable(_)) && fits(rust, b, false),
        (T::Class(a), T::Class(b)) => same_text(a, b),
        (T::Optional(a), T::Optional(b)) | (T::List(a), T::List(b)) | (T::Mutable(a), T::Mutable(b)) => {
            fits(a, b, concrete)
        }
        (T::Dict(k, v), T::Dict(l, w)) => fits(k, l, concrete) && fits(v, w, concrete),
        (T::Tuple(a), T::Tuple(b)) => {
            if a.len() != b.len() {
                return false;
            }
            let mut i = 0;
            while i < a.len() {
                if !fits(&a[i], &b[i], concrete) {
                    return false;
                }
                i += 1;
            }
            true
        }
        _ => rust.plain() != 0 && rust.plain() == schema.plain(),
    }
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

impl SchemaType {
    /// Whether a tensor without data is in it.
    pub const fn has_fake_tensor(&self) -> bool {
        self.has(&SchemaType::FakeTensor)
    }

    /// Whether something that is written to is in it.
    pub const fn has_mutable(&self) -> bool {
        self.has(&SchemaType::Mutable(&SchemaType::Unknown))
    }

    /// Whether a type of the same kind as `part` is in it.
    const fn has(&self, part: &SchemaType) -> bool {
        use SchemaType as T;
        match (self, part) {
            (T::FakeTensor, T::FakeTensor) | (T::Mutable(_), T::Mutable(_)) => true,
            (T::Optional(t) | T::List(t) | T::Mutable(t), _) => t.has(part),
            (T::Dict(k, v), _) => k.has(part) || v.has(part),
            (T::Tuple(parts), _) => {
                let mut i = 0;
                while i < parts.len() {
                    if parts[i].has(part) {
                        return true;
                    }
                    i += 1;
                }
                false
            }
            _ => false,
        }
    }

    /// A number for each type without parts, 0 for the others.
    const fn plain(&self) -> u8 {
        match self {
            SchemaType::Tensor => 1,
            SchemaType::Int => 2,
            SchemaType::SymInt => 3,
            SchemaType::Float => 4,
            SchemaType::Bool => 5,
            SchemaType::Str => 6,
            SchemaType::Scalar => 7,
            SchemaType::Complex => 8,
            SchemaType::ScalarType => 9,
            SchemaType::Device => 10,
            SchemaType::Layout => 11,
            SchemaType::MemoryFormat => 12,
            SchemaType::Generator => 13,
            SchemaType::Stream => 14,
            SchemaType::Any => 15,
            SchemaType::None => 16,
            _ => 0,
        }
    }
}

/// As torch writes it. A mutable type prints without its alias letter.
impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SchemaType as T;
        match self {
            T::Tensor | T::FakeTensor => f.write_str("Tensor"),
            T::Int => f.write_str("int"),
            T::SymInt => f.write_str("SymInt"),
            T::Float => f.write_str("float"),
            T::Bool => f.write_str("bool"),
            T::Str => f.write_str("str"),
            T::Scalar => f.write_str("Scalar"),
            T::Complex => f.write_str("complex"),
            T::ScalarType => f.write_str("ScalarType"),
            T::Device => f.write_str("Device"),
            T::Layout => f.write_str("Layout"),
            T::MemoryFormat => f.write_str("MemoryFormat"),
            T::Generator => f.write_str("Generator"),
            T::Stream => f.write_str("Stream"),
            T::Any => f.write_str("Any"),
            T::None => f.write_str("NoneType"),
            T::Class(name) => f.write_str(name),
            T::Optional(t) => write!(f, "{t}?"),
            T::List(t) => write!(f, "{t}[]"),
            T::Dict(k, v) => write!(f, "Dict({k}, {v})"),
            T::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            T::Mutable(t) => write!(f, "{t}"),
            T::Unknown => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SchemaType as T;

    #[test]
    fn kernels_see_sizes_as_int_and_fakes_as_symint() {
        const RUST: T = T::List(&T::Int);
        const SCHEMA: T = T::List(&T::SymInt);
        assert!(RUST.fits_kernel(&SCHEMA) && !RUST.fits_fake(&SCHEMA));
        assert!(SCHEMA.fits_kernel(&SCHEMA) && SCHEMA.fits_fake(&SCHEMA) && !SCHEMA.fits_kernel(&RUST));
    }

    #[test]
    fn parts_are_compared() {
        assert!(!T::Optional(&T::Int).fits_kernel(&T::List(&T::Int)));
        assert!(T::Dict(&T::Str, &T::Int).fits_kernel(&T::Dict(&T::Str, &T::SymInt)));
        assert!(!T::Tuple(&[T::Int]).fits_kernel(&T::Tuple(&[T::Int, T::Int])));
        assert!(T::Tuple(&[T::Int, T::Str]).fits_kernel(&T::Tuple(&[T::Int, T::Str])));
        assert!(!T::Class("__torch__.torch.classes.a.B").fits_kernel(&T::Class("__torch__.torch.classes.a.C")));
        assert!(!T::Mutable(&T::Tensor).fits_kernel(&T::Tensor) && !T::Tensor.fits_kernel(&T::Mutable(&T::Tensor)));
        assert!(T::Unknown.fits_kernel(&T::Tensor) && T::Tensor.fits_kernel(&T::Unknown));
    }

    #[test]
    fn prints_as_torch() {
        const NESTED: T = T::Optional(&T::List(&T::Tuple(&[T::Tensor, T::Dict(&T::Str, &T::None)])));
        assert_eq!(NESTED.to_string(), "(Tensor, Dict(str, NoneType))[]?");
    }
}
