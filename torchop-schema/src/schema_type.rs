//! Schema types as compile-time data.
//!
//! The attribute macros emit one [`SchemaType`] per argument from the schema text; the runtime's conversion traits
//! carry one as an associated constant per Rust type. Both are `'static` trees, so that a `const` assertion can
//! compare them, and so that the load hook can print a method's schema without parsing anything.

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
    /// `T[3]`, and `[T; 3]` in Rust.
    Array(&'static SchemaType, u32),
    /// `Dict(K, V)`
    Dict(&'static SchemaType, &'static SchemaType),
    /// `(A, B)`
    Tuple(&'static [SchemaType]),
    /// An argument that the operator writes to: `Tensor(a!)` and the like, without its letter.
    Mutable(&'static SchemaType),
    /// A Rust type where no schema says which integers are sizes: `int` in it is `SymInt`.
    Sizes(&'static SchemaType),
    /// Fits everything. Stands in a definition that is in error, so that one mistake is one message.
    Unknown,
}

impl SchemaType {
    /// Whether a function may take or return `self` where the schema has `schema`: the same type, where `SymInt` in the
    /// schema also fits `int` (kernels see concrete sizes) and [`SchemaType::Unknown`] fits everything.
    pub const fn fits_kernel(&self, schema: &SchemaType) -> bool {
        fits(self, schema, Sight { concrete: true, sizes: false, inner: false })
    }

    /// As [`SchemaType::fits_kernel`], for fakes: `SymInt` in the schema is `SymInt` in the function, since sizes are
    /// symbolic while torch traces, and `Tensor` is a tensor without data.
    pub const fn fits_fake(&self, schema: &SchemaType) -> bool {
        fits(self, schema, Sight { concrete: false, sizes: false, inner: false })
    }

    /// What a definition without a schema makes of a Rust type: as in torch's own inference, an integer may be a size.
    pub const fn with_sizes(&'static self) -> SchemaType {
        if self.has_int() { SchemaType::Sizes(self) } else { *self }
    }

    /// The element type of a list, `None` for others.
    pub(crate) const fn element(&self) -> Option<&'static SchemaType> {
        match self {
            SchemaType::List(element) | SchemaType::Array(element, _) => Some(element),
            SchemaType::Sizes(inner) => inner.element(),
            _ => None,
        }
    }
}

/// How a function sees what the schema has.
#[derive(Clone, Copy)]
struct Sight {
    /// Sizes are numbers and tensors have data: in kernels, not in fakes.
    concrete: bool,
    /// `int` stands for `SymInt`.
    sizes: bool,
    /// Inside a tuple or dictionary, where torch keeps `int` for `SymInt`, `ScalarType`, `Layout` and `MemoryFormat`.
    inner: bool,
}

const fn fits(rust: &SchemaType, schema: &SchemaType, sight: Sight) -> bool {
    use SchemaType as T;
    let inside = Sight { sizes: false, inner: true, ..sight };
    match (rust, schema) {
        (T::Unknown, _) | (_, T::Unknown) => true,
        (_, T::Sizes(b)) => fits(rust, b, Sight { sizes: true, ..sight }),
        (T::Int, T::SymInt) => sight.concrete,
        (T::Int, T::Int) if sight.sizes => sight.concrete,
        (T::SymInt, T::Int) if sight.sizes => true,
        (T::ScalarType | T::Layout | T::MemoryFormat, T::Int) => sight.inner,
        (T::Tensor, T::Tensor) => sight.concrete,
        (T::FakeTensor, T::Tensor) => !sight.concrete,
        // A fake has nothing to write to.
        (_, T::Mutable(b)) if !sight.concrete => !matches!(rust, T::Mutable(_)) && fits(rust, b, sight),
        (T::Class(a), T::Class(b)) => same_text(a, b),
        (T::Optional(a), T::Optional(b)) | (T::List(a), T::List(b)) | (T::Mutable(a), T::Mutable(b)) => {
            fits(a, b, sight)
        }
        (T::Array(a, n), T::Array(b, m)) => *n == *m && fits(a, b, sight),
        // A list of any length for one that torch makes of one number; and the length is seen when it is read.
        (T::List(a), T::Array(b, _)) | (T::Array(a, _), T::List(b)) => fits(a, b, sight),
        (T::Dict(k, v), T::Dict(l, w)) => fits(k, l, inside) && fits(v, w, inside),
        (T::Tuple(a), T::Tuple(b)) => {
            if a.len() != b.len() {
                return false;
            }
            let mut i = 0;
            while i < a.len() {
                if !fits(&a[i], &b[i], inside) {
                    return false;
                }
                i += 1;
            }
            true
        }
        _ => rust.plain() != 0 && rust.plain() == schema.plain(),
    }
}

pub(crate) const fn same_text(a: &str, b: &str) -> bool {
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
    /// Whether a tensor with data is in it.
    pub const fn has_tensor(&self) -> bool {
        self.has(&SchemaType::Tensor)
    }

    /// Whether a tensor without data is in it.
    pub const fn has_fake_tensor(&self) -> bool {
        self.has(&SchemaType::FakeTensor)
    }

    /// Whether something that is written to is in it.
    pub const fn has_mutable(&self) -> bool {
        self.has(&SchemaType::Mutable(&SchemaType::Unknown))
    }

    /// Whether autograd looks at it: a tensor, an optional one, a list of these.
    pub const fn holds_tensors(&self) -> bool {
        use SchemaType as T;
        match self {
            T::Tensor => true,
            T::Optional(t) | T::List(t) | T::Array(t, _) | T::Mutable(t) | T::Sizes(t) => t.holds_tensors(),
            _ => false,
        }
    }

    /// Whether there is an integer that may be a size: inside tuples and dictionaries torch has no sizes.
    pub const fn has_int(&self) -> bool {
        match self {
            SchemaType::Int => true,
            SchemaType::Optional(t) | SchemaType::List(t) | SchemaType::Array(t, _) => t.has_int(),
            _ => false,
        }
    }

    /// Whether a type of the same kind as `part` is in it.
    const fn has(&self, part: &SchemaType) -> bool {
        use SchemaType as T;
        match (self, part) {
            (T::FakeTensor, T::FakeTensor) | (T::Tensor, T::Tensor) | (T::Mutable(_), T::Mutable(_)) => true,
            (T::Optional(t) | T::List(t) | T::Array(t, _) | T::Mutable(t) | T::Sizes(t), _) => t.has(part),
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
        assert!(
            T::Array(&T::Int, 3).fits_kernel(&T::Array(&T::SymInt, 3))
                && !T::Array(&T::Int, 2).fits_kernel(&T::Array(&T::Int, 3))
        );
        assert!(
            T::List(&T::Int).fits_kernel(&T::Array(&T::Int, 3)) && T::Array(&T::Int, 3).fits_kernel(&T::List(&T::Int))
        );
        assert!(!T::Array(&T::Float, 3).fits_kernel(&T::Array(&T::Int, 3)));
        assert!(T::Dict(&T::Str, &T::Int).fits_kernel(&T::Dict(&T::Str, &T::SymInt)));
        assert!(!T::Tuple(&[T::Int]).fits_kernel(&T::Tuple(&[T::Int, T::Int])));
        assert!(T::Tuple(&[T::Int, T::Str]).fits_kernel(&T::Tuple(&[T::Int, T::Str])));
        assert!(!T::Class("__torch__.torch.classes.a.B").fits_kernel(&T::Class("__torch__.torch.classes.a.C")));
        assert!(!T::Mutable(&T::Tensor).fits_kernel(&T::Tensor) && !T::Tensor.fits_kernel(&T::Mutable(&T::Tensor)));
        assert!(T::Unknown.fits_kernel(&T::Tensor) && T::Tensor.fits_kernel(&T::Unknown));
    }

    #[test]
    fn integers_are_sizes_where_no_schema_says() {
        const LIST: T = T::List(&T::Int).with_sizes();
        assert!(T::List(&T::Int).fits_kernel(&LIST) && T::List(&T::SymInt).fits_kernel(&LIST));
        assert!(!T::List(&T::Int).fits_fake(&LIST) && T::List(&T::SymInt).fits_fake(&LIST));
        assert!(!T::Float.fits_kernel(&T::Int.with_sizes()));
        const PAIR: T = T::Tuple(&[T::Int, T::Int]).with_sizes();
        assert_eq!(PAIR, T::Tuple(&[T::Int, T::Int]));
        assert!(T::Tuple(&[T::ScalarType, T::Int]).fits_fake(&PAIR) && !T::ScalarType.fits_kernel(&T::Int));
    }

    #[test]
    fn a_fake_has_nothing_to_write_to() {
        const SCHEMA: T = T::Optional(&T::Mutable(&T::Tensor));
        assert!(SCHEMA.fits_kernel(&SCHEMA) && !SCHEMA.fits_fake(&SCHEMA));
        assert!(T::Optional(&T::FakeTensor).fits_fake(&SCHEMA) && !T::Optional(&T::Tensor).fits_kernel(&SCHEMA));
        assert!(SCHEMA.holds_tensors() && SCHEMA.has_mutable());
    }
}
