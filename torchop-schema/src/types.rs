//! The types of the schema language.

use std::fmt;

/// A type in a schema.
///
/// Inside a tuple, `Dict`, `Union`, `Future`, `Await` or `RRef`, torch keeps `int` for `SymInt`, `ScalarType`,
/// `Layout` and `MemoryFormat`, and so does this.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// `Tensor`
    Tensor,
    /// `int`; also what `DeviceIndex` and `ConstQuantizerPtr` mean.
    Int,
    /// `SymInt`
    SymInt,
    /// `float`: a 64-bit float.
    Float,
    /// `bool`
    Bool,
    /// `SymBool`
    SymBool,
    /// `str`
    Str,
    /// `Scalar`: any number.
    Scalar,
    /// `complex`: two 64-bit floats.
    Complex,
    /// `ScalarType`: a dtype, an int on the stack.
    ScalarType,
    /// `Device`
    Device,
    /// `Layout`, an int on the stack.
    Layout,
    /// `MemoryFormat`, an int on the stack.
    MemoryFormat,
    /// `Generator`
    Generator,
    /// `Stream`
    Stream,
    /// `Storage`
    Storage,
    /// `QScheme`
    QScheme,
    /// `Quantizer`
    Quantizer,
    /// `Capsule`
    Capsule,
    /// `Any`
    Any,
    /// `AnyClassType`
    AnyClass,
    /// `AnyEnumType`
    AnyEnum,
    /// `None` or `NoneType`
    None,
    /// A class registered with torch, by its full name: `__torch__.torch.classes.ns.Name`.
    Class(String),
    /// A type variable of TorchScript, as in `aten::keys(Dict(t, v) self) -> t[]`.
    Variable(String),
    /// `T?`
    Optional(Box<Type>),
    /// `T[]`, or `T[n]`, where the size is a hint: one value as a default is repeated to it.
    List(Box<Type>, Option<u32>),
    /// `Dict(K, V)`
    Dict(Box<Type>, Box<Type>),
    /// `(A, B)`
    Tuple(Vec<Type>),
    /// `Union(A, B)`, in torch's order and without what torch folds away.
    Union(Vec<Type>),
    /// `Future(T)`
    Future(Box<Type>),
    /// `Await(T)`
    Await(Box<Type>),
    /// `RRef(T)`
    RRef(Box<Type>),
}

/// The names of types without parts.
pub(crate) const NAMED: &[(&str, Type)] = &[
    ("Tensor", Type::Tensor),
    ("int", Type::Int),
    ("SymInt", Type::SymInt),
    ("float", Type::Float),
    ("bool", Type::Bool),
    ("SymBool", Type::SymBool),
    ("str", Type::Str),
    ("Scalar", Type::Scalar),
    ("complex", Type::Complex),
    ("ScalarType", Type::ScalarType),
    ("Device", Type::Device),
    ("DeviceIndex", Type::Int),
    ("Layout", Type::Layout),
    ("MemoryFormat", Type::MemoryFormat),
    ("Generator", Type::Generator),
    ("Stream", Type::Stream),
    ("Storage", Type::Storage),
    ("QScheme", Type::QScheme),
    ("Quantizer", Type::Quantizer),
    ("ConstQuantizerPtr", Type::Int),
    ("Capsule", Type::Capsule),
    ("Any", Type::Any),
    ("AnyClassType", Type::AnyClass),
    ("AnyEnumType", Type::AnyEnum),
    ("None", Type::None),
    ("NoneType", Type::None),
];

/// The names that take other types in parentheses.
pub(crate) const COMPOUND: &[&str] = &["Dict", "Union", "Future", "Await", "RRef"];

impl Type {
    pub(crate) fn named(name: &str) -> Option<Type> {
        NAMED.iter().find(|(n, _)| *n == name).map(|(_, ty)| ty.clone())
    }

    /// The type torch keeps on the stack: `int` for `SymInt`, `ScalarType`, `Layout` and `MemoryFormat`.
    pub(crate) fn on_stack(self) -> Type {
        match self {
            Type::SymInt | Type::ScalarType | Type::Layout | Type::MemoryFormat => Type::Int,
            other => other,
        }
    }

    /// The `T` of `T?`, or the type itself.
    pub fn without_optional(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            other => other,
        }
    }

    /// Whether the type is `T?`.
    pub fn is_optional(&self) -> bool {
        matches!(self, Type::Optional(_))
    }

    /// Whether a value of this type can hold a tensor: `Tensor`, or a type built from it. `Any`, classes and type
    /// variables count as well, since they can.
    pub fn may_hold_tensor(&self) -> bool {
        match self {
            Type::Tensor | Type::Any | Type::AnyClass | Type::Class(_) | Type::Variable(_) => true,
            Type::Optional(t) | Type::List(t, _) | Type::Future(t) | Type::Await(t) | Type::RRef(t) => {
                t.may_hold_tensor()
            }
            Type::Dict(key, value) => key.may_hold_tensor() || value.may_hold_tensor(),
            Type::Tuple(parts) | Type::Union(parts) => parts.iter().any(Type::may_hold_tensor),
            _ => false,
        }
    }
}

/// As torch prints it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Class(name) | Type::Variable(name) => f.write_str(name),
            Type::Optional(inner) => write!(f, "{inner}?"),
            Type::List(inner, None) => write!(f, "{inner}[]"),
            Type::List(inner, Some(size)) => write!(f, "{inner}[{size}]"),
            Type::Dict(key, value) => write!(f, "Dict({key}, {value})"),
            Type::Future(inner) => write!(f, "Future({inner})"),
            Type::Await(inner) => write!(f, "Await({inner})"),
            Type::RRef(inner) => write!(f, "RRef({inner})"),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Type::Union(parts) => write_union(f, parts),
            Type::None => f.write_str("NoneType"),
            plain => f.write_str(NAMED.iter().find(|(_, ty)| ty == plain).map_or("?", |(name, _)| name)),
        }
    }
}

/// `int`, `float` and `complex` together print as one `Scalar` at the end, with the comma torch leaves before it.
fn write_union(f: &mut fmt::Formatter<'_>, parts: &[Type]) -> fmt::Result {
    let numbers = crate::union::holds_numbers(parts);
    let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Float | Type::Complex);
    let mut separate = false;
    f.write_str("Union(")?;
    for (i, part) in parts.iter().enumerate().filter(|(_, part)| !numbers || !is_number(part)) {
        if i > 0 {
            f.write_str(", ")?;
            separate = true;
        }
        write!(f, "{part}")?;
    }
    if numbers {
        write!(f, "{}Scalar", if separate { ", " } else { "" })?;
    }
    f.write_str(")")
}
