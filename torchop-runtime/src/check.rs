//! What the attributes check about a user's functions while the crate compiles.
//!
//! A definition describes every argument, result and gradient as a [`Slot`]; each role's macro names the slot by the
//! user's own identifier and compares it with the user's type in a `const`, so the error sits under that type. The functions
//! take types as [`SchemaType`]s: `<T as Argument>::TYPE`, written out where the user wrote `T`, says all there is to say of a
//! `T` that is no argument.

#![allow(clippy::panic, reason = "these run in constants of the user's crate, where a panic is a compile error")]

mod inferred;
mod transforms;

pub use inferred::*;
pub use transforms::*;

use crate::registration::{Need, OpDef, SlotKind};
use torchop_schema::SchemaType;

/// An argument, result or gradient of an operator, as its roles see it.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// What it is.
    pub kind: SlotKind,
    /// Which one of its kind. `u16::MAX` in a definition that is in error: fits everywhere.
    pub index: u16,
    /// The type in the schema.
    pub ty: SchemaType,
    /// The message for a kernel or backward of the wrong type.
    pub wants: &'static str,
    /// The message for a fake of the wrong type.
    pub fake_wants: &'static str,
    /// The message for a kernel that takes it as `&mut Tensor`, where the schema does not say that it is written to.
    pub unwritten: &'static str,
}

/// What a definition tells its roles. Implemented by the type that stands beside the operator's function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator",
    label = "not defined by `#[torch_op(schema = …)]`",
    note = "`kernel_of`, `fake_of` and `backward_of` take the path of the function that carries `#[torch_op(schema = …)]`"
)]
pub trait Op {
    /// The definition.
    const DEF: &'static OpDef;
    /// A struct with one field per name.
    type Names: 'static;
    /// The slots by name.
    const NAMES: Self::Names;
    /// Number of arguments, `usize::MAX` in a definition that is in error.
    const COUNT: usize;
    /// The message for a wrong number of arguments.
    const TAKES: &'static str;
    /// The types of the results.
    const RETURNS: &'static [SchemaType];
    /// The message for a wrong return type.
    const RETURN_TEXT: &'static str;
    /// The message for a wrong return type of a fake.
    const FAKE_RETURN_TEXT: &'static str = Self::RETURN_TEXT;
    /// Whether it writes to an argument.
    const WRITES: bool = false;
    /// Indices of the arguments that can hold tensors, which a backward returns gradients for unless it narrows the list.
    const TENSOR_ARGUMENTS: &'static [u16];
    /// Number of gradients that a backward returns, unless it narrows the list. `usize::MAX` in a definition in error.
    const GRADIENTS: usize;
    /// The message for a wrong number of gradients.
    const GIVES: &'static str;
    /// Whether it has no argument that torch could choose a kernel by.
    const WITHOUT_TENSORS: bool = false;
}

/// A kernel exists for this operator and key: coherence makes a second one an error.
pub trait KernelFor<Key> {}

/// One type for each dispatch key that a kernel can be given for, named as torch names the key.
#[allow(missing_docs, missing_debug_implementations)]
pub mod key {
    macro_rules! keys { ($($name:ident)*) => { $(pub struct $name;)* } }
    keys! {
        CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta
        SparseCPU SparseCUDA SparseXPU SparsePrivateUse1 SparseCsrCPU SparseCsrCUDA SparseCsrXPU
        QuantizedCPU QuantizedCUDA QuantizedXPU NestedTensorCPU NestedTensorCUDA NestedTensorXPU
        CompositeImplicitAutograd CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional
        Backward Jvp Batch
    }
}

/// The number of a method's name in [`crate::class::Method`]: its FNV-1a hash.
pub const fn name_number(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// A kernel's argument has the schema's type.
#[track_caller]
pub const fn kernel_argument(ty: SchemaType, slot: Slot) {
    if !ty.fits_kernel(&slot.ty) {
        let writes = ty.has_mutable() && !slot.ty.has_mutable() && !slot.unwritten.is_empty();
        panic!("{}", if writes { slot.unwritten } else { slot.wants })
    }
}

/// A fake's argument has the schema's type, with symbolic sizes.
#[track_caller]
pub const fn fake_argument(ty: SchemaType, slot: Slot) {
    if !ty.fits_fake(&slot.ty) {
        panic!("{}", slot.fake_wants)
    }
}

/// A backward's parameter: a gradient is `&Tensor` or `Option<&Tensor>`, the rest as in a kernel.
#[track_caller]
pub const fn backward_argument(ty: SchemaType, slot: Slot) {
    let fits = match slot.kind {
        SlotKind::Gradient => {
            ty.fits_kernel(&SchemaType::Tensor) || ty.fits_kernel(&SchemaType::Optional(&SchemaType::Tensor))
        }
        // Its operator is refused (see `backward_possible`).
        _ if slot.ty.has_mutable() => true,
        _ => ty.fits_kernel(&slot.ty),
    };
    if !fits {
        panic!("{}", slot.wants)
    }
}

/// The operator is one that can have a backward.
#[track_caller]
pub const fn backward_possible(writes: bool) {
    if writes {
        panic!(
            "an operator that writes to its arguments has no backward of its own; return a new tensor, which torch can differentiate, or drop the backward"
        )
    }
}

/// What a backward's parameter asks for.
pub const fn need(ty: SchemaType, slot: Slot) -> Need {
    Need { kind: slot.kind, index: slot.index, optional: matches!(ty, SchemaType::Optional(_)) }
}

/// An array takes the default of its list, which has `count` elements; else `text` is the message.
#[track_caller]
pub const fn default_length(ty: SchemaType, count: usize, text: &str) {
    if let SchemaType::Array(_, length) = ty
        && length as usize != count
    {
        panic!("{}", text)
    }
}

/// Torch chooses a kernel for a device by the tensors among the arguments: [`Op::WITHOUT_TENSORS`].
#[track_caller]
pub const fn reached(without_tensors: bool) {
    if without_tensors {
        panic!(
            "torch chooses the kernel of a device by the tensors among the arguments, and there are none, so this one is never called; write `composite_explicit`"
        )
    }
}

/// The arguments stand in the schema's order.
#[track_caller]
pub const fn in_order(slot: Slot, position: u16) {
    match slot.kind {
        SlotKind::Argument => {
            if slot.index != position && slot.index != u16::MAX {
                panic!("argument out of the schema's order; write the arguments in the order of the schema")
            }
        }
        _ => panic!("only a backward takes results and gradients; a kernel takes the arguments of the schema"),
    }
}

/// The number of arguments is the schema's: [`Op::COUNT`], else [`Op::TAKES`] is the message.
#[track_caller]
pub const fn takes(count: usize, expected: usize, text: &str) {
    if count != expected && expected != usize::MAX {
        panic!("{}", text)
    }
}

/// What can be read can be passed on, so that the operator's name can be called. The types of the results are `None` if
/// they have been refused elsewhere.
#[track_caller]
pub const fn callable(reads: bool, calls: bool, returns: Option<&[SchemaType]>) {
    if reads && !calls && returns.is_some() {
        panic!("an argument is of a type that can be received from torch, but not given to it")
    }
}

/// The return type is the schema's, else `text` is the message. `None` is a type that has been refused elsewhere; no
/// [`SchemaType`]s at all where [`Op::COUNT`] is `usize::MAX` stand for a definition in error.
#[track_caller]
pub const fn returns(got: Option<&[SchemaType]>, count: usize, expected: &[SchemaType], text: &str) {
    if let Some(got) = got
        && count != usize::MAX
        && !same_types(got, expected, false)
    {
        panic!("{}", text)
    }
}

/// As [`returns`], for a fake.
#[track_caller]
pub const fn fake_returns(got: Option<&[SchemaType]>, count: usize, expected: &[SchemaType], text: &str) {
    if let Some(got) = got
        && count != usize::MAX
        && !same_types(got, expected, true)
    {
        if same_types(got, expected, false) && has_tensor(got) {
            panic!("a fake returns tensors without data; write `FakeTensor` for `Tensor`")
        }
        panic!("{}", text)
    }
}

const fn has_tensor(types: &[SchemaType]) -> bool {
    let mut i = 0;
    while i < types.len() {
        if types[i].has_tensor() {
            return true;
        }
        i += 1;
    }
    false
}

const fn same_types(got: &[SchemaType], expected: &[SchemaType], fake: bool) -> bool {
    let mut same = got.len() == expected.len();
    let mut i = 0;
    while same && i < got.len() {
        same = if fake { got[i].fits_fake(&expected[i]) } else { got[i].fits_kernel(&expected[i]) };
        i += 1;
    }
    same
}

/// A method takes or returns this type: tensors with data.
#[track_caller]
pub const fn method_type(ty: SchemaType) {
    if ty.has_fake_tensor() {
        panic!("`FakeTensor` is for fakes, marked `#[fake(method)]`; a method has `Tensor`")
    }
    if ty.has_mutable() {
        panic!(
            "a method cannot write to its arguments: torch has no word for it in the schema of a method; make it an operator with `Tensor(a!)`"
        )
    }
}

/// A method returns these types.
#[track_caller]
pub const fn method_types(types: &[SchemaType]) {
    let mut i = 0;
    while i < types.len() {
        method_type(types[i]);
        i += 1;
    }
}

/// `fake = like(x)`: the argument is a tensor, and so is the one result.
#[track_caller]
pub const fn like(argument: SchemaType, returns: &[SchemaType]) {
    if !same_types(&[argument], &[SchemaType::Tensor], false) {
        panic!("`like` names a `&Tensor` argument")
    }
    if !same_types(returns, &[SchemaType::Tensor], false) {
        panic!("`like` is for functions that return one `Tensor`; write a fake")
    }
}

/// [`like`], where another check speaks of a return type that is none.
#[track_caller]
pub const fn like_of(argument: SchemaType, returns: Option<&[SchemaType]>) {
    if let Some(returns) = returns {
        like(argument, returns)
    }
}

/// `#[setstate]` takes what `#[getstate]` returns, in this order; so do `#[unflatten]` and `#[flatten]`.
#[track_caller]
pub const fn state_pair(given: &[SchemaType], taken: &[SchemaType]) {
    if !same_types(taken, given, false) {
        panic!("takes the values that the other function returns, in the same order and of the same types")
    }
}

/// The number of gradients is that of the tensors among the arguments: [`Op::GRADIENTS`], else [`Op::GIVES`] is the message.
#[track_caller]
pub const fn gives(count: usize, expected: usize, text: &str) {
    if count != expected && expected != usize::MAX {
        panic!("{}", text)
    }
}

/// The number of gradients is that of the names in `gradients(…)`.
#[track_caller]
pub const fn gives_listed(count: usize, names: usize) {
    if count != names {
        panic!("a backward returns one gradient for each name in `gradients(…)`, in this order")
    }
}

/// A name in `gradients(…)` is an argument that has a gradient.
#[track_caller]
pub const fn differentiable(slot: Slot) {
    let tensors = matches!(slot.kind, SlotKind::Argument)
        && match slot.ty {
            SchemaType::Optional(inner) | SchemaType::List(inner) | SchemaType::Array(inner, _) => {
                matches!(inner, SchemaType::Tensor | SchemaType::Optional(SchemaType::Tensor))
            }
            SchemaType::Tensor | SchemaType::Unknown => true,
            _ => false,
        };
    if !tensors {
        panic!("`gradients(…)` names arguments of type `Tensor`, `Tensor?` or `Tensor[]`")
    }
}

/// The method that a fake stands for is one that torch can call. The slots are `None` if it is not.
#[track_caller]
pub const fn is_method(slots: Option<&[Slot]>) {
    if slots.is_none() {
        panic!(
            "a fake stands for a method or getter of a `#[torch_class]` block, not for a skipped function or another fake"
        )
    }
}

/// A setter returns `()`, plain or in a `Result`.
#[track_caller]
pub const fn setter_returns(types: &[SchemaType]) {
    if !types.is_empty() {
        panic!("a setter returns nothing: `()` or `Result<()>`")
    }
}

/// A fake that changes the object stands for a method that does.
#[track_caller]
pub const fn method_fake_changes(slots: Option<&[Slot]>, changes: bool) {
    if slots.is_some() && !changes {
        panic!("the method has `&self`, so its fake has it too: what it does not change stays as it is")
    }
}

/// The argument at `position` of a method's fake has the type of the method's argument. A wrong count is reported apart.
#[track_caller]
pub const fn method_fake_argument(ty: SchemaType, slots: Option<&[Slot]>, position: usize) {
    if let Some(slots) = slots
        && position < slots.len()
    {
        fake_argument(ty, slots[position]);
    }
}

/// A method's fake has as many arguments as the method.
#[track_caller]
pub const fn method_fake_takes(slots: Option<&[Slot]>, count: usize) {
    if let Some(slots) = slots
        && count != slots.len()
    {
        panic!("a fake takes the arguments of its method")
    }
}

/// A method's fake returns what the method returns.
#[track_caller]
pub const fn method_fake_returns(got: &[SchemaType], slots: Option<&[Slot]>, expected: &[SchemaType]) {
    if slots.is_some() && !same_types(got, expected, true) {
        panic!("a fake returns what its method returns, with `FakeTensor` for `Tensor`")
    }
}
