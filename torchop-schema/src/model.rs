//! What a schema says.

use std::ops::Range;

use crate::types::Type;

/// An operator's schema. Prints as torch prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The operator's name.
    pub name: OperatorName,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// The returns, in order.
    pub returns: Vec<Return>,
    /// Whether any number of further arguments may follow: `f(...)`.
    pub is_vararg: bool,
    /// Whether any number of further returns may follow: `-> ...`.
    pub is_varret: bool,
}

impl Schema {
    /// The argument of this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Whether the operator writes to one of its arguments.
    pub fn is_mutable(&self) -> bool {
        self.arguments.iter().any(Argument::is_mutable)
    }
}

/// `namespace::name.overload`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperatorName {
    /// The part before `::`.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The part after `.`; empty when there is none.
    pub overload: String,
}

/// An argument of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The type.
    pub ty: Type,
    /// What the argument may share memory with, and whether it is written to.
    pub alias: Option<Alias>,
    /// The name.
    pub name: String,
    /// The default.
    pub default: Option<DefaultValue>,
    /// Whether the argument stands after `*`.
    pub kwarg_only: bool,
    /// The bytes of the whole argument in the text.
    pub span: Range<usize>,
    /// The bytes of the type, with its alias annotations.
    pub type_span: Range<usize>,
    /// The bytes of the name.
    pub name_span: Range<usize>,
    /// The bytes of the default.
    pub default_span: Option<Range<usize>>,
}

impl Argument {
    /// Whether the operator writes to the argument: `Tensor(a!)`, and `Tensor(a!)[]`.
    pub fn is_mutable(&self) -> bool {
        self.alias.as_ref().is_some_and(|alias| alias.is_write)
    }

    /// Whether torch takes the argument for an output: written to, and after `*`.
    pub fn is_out(&self) -> bool {
        self.kwarg_only && self.is_mutable()
    }
}

/// A return of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// The type.
    pub ty: Type,
    /// What the return may share memory with, and whether it was written to.
    pub alias: Option<Alias>,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The bytes of the whole return in the text.
    pub span: Range<usize>,
    /// The bytes of the type, with its alias annotations.
    pub type_span: Range<usize>,
}

impl Return {
    /// Whether the return is an argument that was written to: `Tensor(a!)`.
    pub fn is_mutable(&self) -> bool {
        self.alias.as_ref().is_some_and(|alias| alias.is_write)
    }
}

/// An alias annotation: `(a)`, `(a!)`, `(a|b -> *)`, or `!` alone.
///
/// Annotations inside tuples, `Dict`, `Union`, `Future`, `Await` and `RRef` are dropped, as torch drops them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alias {
    /// The sets before the call, as written, each once. `*` is the set of everything. `!` alone makes a set of its
    /// own: `$0`, `$1` and so on.
    pub before: Vec<String>,
    /// The sets after the call: those after `->`, else those before. Empty for `!` alone.
    pub after: Vec<String>,
    /// Whether it is written to: `!`.
    pub is_write: bool,
    /// The annotation of a list's elements: the `(a!)` of `Tensor(a!)[]`.
    pub contained: Option<Box<Alias>>,
}

/// The default of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// A whole number, or a word that stands for one: a dtype, `strided`, `contiguous_format`, `Mean`.
    Int(i64),
    /// A number with a fraction or an exponent, or any number where the type is `float`.
    Float(f64),
    /// `2j`: a complex number without a real part.
    Imaginary(f64),
    /// `'text'`
    Str(String),
    /// A device: `'cuda:0'`.
    Device(String),
    /// `[1, 2]`
    List(Vec<DefaultValue>),
    /// One value for a list with a size: the `1` of `int[2] stride=1`, and the size.
    Repeated(Box<DefaultValue>, u32),
}
