//! The functions behind torch's transforms: forward mode, vmap, fakes that ask for sizes; and results without a gradient.

use super::Slot;
use crate::registration::{BatchNeed, BatchNeedKind, JvpNeed, JvpNeedKind, SlotKind};
use torchop_schema::SchemaType;

/// A parameter of a jvp function that is no tangent: an argument or a result, as in a kernel.
#[track_caller]
pub const fn jvp_argument(ty: SchemaType, slot: Slot) {
    match slot.kind {
        SlotKind::Argument | SlotKind::Output => {
            if !ty.fits_kernel(&slot.ty) {
                panic!("{}", slot.wants)
            }
        }
        _ => panic!("a jvp function takes arguments and results by their names, and `tangent_<argument>`"),
    }
}

/// The tangent of the argument that the slot is.
#[track_caller]
pub const fn jvp_tangent(ty: SchemaType, slot: Slot) {
    const OPTIONAL: SchemaType = SchemaType::Optional(&SchemaType::Tensor);
    if !matches!(slot.kind, SlotKind::Argument) || !slot.ty.holds_tensors() {
        panic!("`tangent_` stands before the name of an argument that holds tensors")
    }
    let fits = match slot.ty {
        SchemaType::List(_) => ty.fits_kernel(&SchemaType::List(&OPTIONAL)),
        SchemaType::Unknown => true,
        _ => ty.fits_kernel(&SchemaType::Tensor) || ty.fits_kernel(&OPTIONAL),
    };
    if !fits {
        match slot.ty {
            SchemaType::List(_) => panic!("the tangents of a list are `List<'_, Option<&Tensor>>`"),
            _ => panic!("a tangent is `&Tensor` (zeros where there is none) or `Option<&Tensor>`"),
        }
    }
}

/// What a parameter of a jvp function asks for.
pub const fn jvp_need(slot: Slot) -> JvpNeed {
    let kind = match slot.kind {
        SlotKind::Output => JvpNeedKind::Output,
        _ => JvpNeedKind::Argument,
    };
    JvpNeed { kind, index: slot.index, optional: false }
}

/// As [`jvp_need`], of a tangent.
pub const fn jvp_tangent_need(ty: SchemaType, slot: Slot) -> JvpNeed {
    JvpNeed { kind: JvpNeedKind::Tangent, index: slot.index, optional: matches!(ty, SchemaType::Optional(_)) }
}

/// A jvp function returns one tangent for each result. No results at all where `count` is `usize::MAX` stand for a definition
/// in error.
#[track_caller]
pub const fn jvp_gives(got: usize, count: usize, results: usize) {
    if count != usize::MAX && got != results {
        panic!(
            "a jvp function returns one tangent for each result of the operator, in their order; `Option<Tensor>` where there may be none"
        )
    }
}

/// The operator is one that forward mode and vmap can work with.
#[track_caller]
pub const fn transform_possible(writes: bool) {
    if writes {
        panic!(
            "an operator that writes to its arguments has no derivative and no rule for vmap; return a new tensor, or drop this function"
        )
    }
}

/// A parameter of a rule for vmap: an argument, as in a kernel.
#[track_caller]
pub const fn batch_argument(ty: SchemaType, slot: Slot) {
    match slot.kind {
        SlotKind::Argument => {
            if !ty.fits_kernel(&slot.ty) {
                panic!("{}", slot.wants)
            }
        }
        _ => panic!("a rule for vmap takes arguments by their names, `is_batched_<argument>` and `batch_size`"),
    }
}

/// `is_batched_` before the argument that the slot is.
#[track_caller]
pub const fn batch_flag(ty: SchemaType, slot: Slot) {
    if !matches!(slot.kind, SlotKind::Argument) || !slot.ty.holds_tensors() {
        panic!("`is_batched_` stands before the name of an argument that holds tensors")
    }
    if !ty.fits_kernel(&SchemaType::Bool) {
        panic!("`is_batched_<argument>` says whether the argument has a batch dimension; write `bool`")
    }
}

/// `batch_size`.
#[track_caller]
pub const fn batch_size(ty: SchemaType) {
    if !ty.fits_kernel(&SchemaType::SymInt) {
        panic!("`batch_size` is the size of the batch dimension; write `i64`, or `SymInt`")
    }
}

/// What a parameter of a rule for vmap asks for.
pub const fn batch_need(slot: Slot) -> BatchNeed {
    BatchNeed { kind: BatchNeedKind::Argument, index: slot.index }
}

/// As [`batch_need`], of `is_batched_`.
pub const fn batch_flag_need(slot: Slot) -> BatchNeed {
    BatchNeed { kind: BatchNeedKind::IsBatched, index: slot.index }
}

/// As [`batch_need`], of `batch_size`.
pub const fn batch_size_need() -> BatchNeed {
    BatchNeed { kind: BatchNeedKind::BatchSize, index: 0 }
}

/// A parameter of a fake that torch gives a size for.
#[track_caller]
pub const fn dynamic_size(ty: SchemaType) {
    if !matches!(ty, SchemaType::SymInt | SchemaType::Unknown) {
        panic!("a size that depends on data is a symbol while torch traces; write `SymInt`")
    }
}

/// A result that has no gradient: its position.
#[track_caller]
pub const fn constant_result(slot: Slot) -> u16 {
    if !matches!(slot.kind, SlotKind::Output) && slot.index != u16::MAX {
        panic!("`nondifferentiable(…)` names results: `output`, `output0`, …, or their names in the schema")
    }
    slot.index
}

/// An operator that is a backward returns its gradients, whatever they are.
#[track_caller]
pub const fn gradients_of_an_op(types: Option<&[SchemaType]>) {
    let Some(types) = types else { return };
    let mut i = 0;
    while i < types.len() {
        if !matches!(types[i], SchemaType::Tensor | SchemaType::List(SchemaType::Tensor)) {
            panic!(
                "a backward that is an operator returns `Tensor`, or `Vec<Tensor>` for a list: torch's graphs have no optional results; return zeros, or narrow the list with `gradients(…)`"
            )
        }
        i += 1;
    }
}
