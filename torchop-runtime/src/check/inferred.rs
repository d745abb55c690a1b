//! A definition without a schema: what the types of its function say, and where they say nothing that torch could use.

use super::Slot;
use crate::registration::SlotKind;
use torchop_schema::{SchemaDefault, SchemaType};

/// An argument of a definition without a schema.
#[track_caller]
pub const fn inferred_argument(ty: SchemaType) {
    if ty.has_fake_tensor() {
        panic!("`FakeTensor` is for fakes, marked `#[torch_op(fake_of = …)]`; the kernel of a definition has `&Tensor`")
    }
    let alone = match ty {
        SchemaType::Mutable(_) => true,
        SchemaType::Optional(inner) => !ty.has_mutable() || matches!(inner, SchemaType::Mutable(_)),
        _ => !ty.has_mutable(),
    };
    if !alone {
        panic!(
            "a tensor that is written to is an argument of its own: `&mut Tensor`, `Option<&mut Tensor>`, or `&mut [Tensor]` for a list"
        )
    }
}

/// The results of a definition without a schema, of which the macro saw `names`; whether the operator writes to its
/// arguments. `None` has been refused elsewhere.
#[track_caller]
pub const fn inferred_results(types: Option<&[SchemaType]>, names: usize, writes: bool) {
    let Some(types) = types else { return };
    let mut i = 0;
    while i < types.len() {
        if types[i].has_fake_tensor() {
            panic!(
                "`FakeTensor` is for fakes, marked `#[torch_op(fake_of = …)]`; the kernel of a definition has `Tensor`"
            )
        }
        if writes && !matches!(types[i], SchemaType::Tensor) {
            panic!(
                "`torch.compile` refuses a result that is no tensor where arguments are written to; return tensors or nothing"
            )
        }
        i += 1;
    }
    if types.len() != names {
        panic!(
            "the results of a definition without a schema are counted as they are written; write them out: `Result<(A, B)>`"
        )
    }
}

/// A default is a value of its argument's type, else `text` is the message.
#[track_caller]
pub const fn default_fits(ty: SchemaType, default: SchemaDefault, text: &str) {
    if !default.fits(&ty) {
        panic!("{}", text)
    }
}

/// A default is one of the words of its argument's type, where that is an enum.
#[track_caller]
pub const fn default_is_a_word(words: &[&str], default: &str, text: &str) {
    let mut i = 0;
    while i < words.len() {
        if same_text(words[i], default) {
            return;
        }
        i += 1;
    }
    if !words.is_empty() {
        panic!("{}", text)
    }
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut same = a.len() == b.len();
    let mut i = 0;
    while same && i < a.len() {
        same = a[i] == b[i];
        i += 1;
    }
    same
}

/// An argument without a default after one that has one: torch takes lists alone. Else `text` is the message.
#[track_caller]
pub const fn may_lack_default(ty: SchemaType, text: &str) {
    if !matches!(ty, SchemaType::List(_) | SchemaType::Array(..) | SchemaType::Unknown) {
        panic!("{}", text)
    }
}

/// `#[torch(int)]` stands where there is a choice.
#[track_caller]
pub const fn int_or_size(ty: SchemaType) {
    if !ty.has_int() {
        panic!("`int` says that an `i64` is no size; there is none here")
    }
}

/// All of `types` with sizes, for the results of a definition.
pub const fn with_sizes<const N: usize>(types: &'static [SchemaType]) -> [SchemaType; N] {
    let mut all = [SchemaType::Unknown; N];
    let mut i = 0;
    while i < N {
        all[i] = types[i].with_sizes();
        i += 1;
    }
    all
}

/// Which arguments are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// Those that hold tensors.
    Tensors,
    /// Those that are written to.
    Written,
}

const fn is_one(ty: &SchemaType, which: Which) -> bool {
    match which {
        Which::Tensors => ty.holds_tensors(),
        Which::Written => ty.has_mutable(),
    }
}

/// How many there are.
pub const fn count(types: &[SchemaType], which: Which) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < types.len() {
        count += is_one(&types[i], which) as usize;
        i += 1;
    }
    count
}

/// Their positions; `N` is [`count`].
pub const fn positions<const N: usize>(types: &[SchemaType], which: Which) -> [u16; N] {
    let mut positions = [0; N];
    let (mut found, mut i) = (0, 0);
    while i < types.len() {
        if is_one(&types[i], which) {
            positions[found] = i as u16;
            found += 1;
        }
        i += 1;
    }
    positions
}

/// Whether none holds tensors; not if one has been refused elsewhere.
pub const fn without_tensors(types: &[SchemaType]) -> bool {
    let mut i = 0;
    while i < types.len() {
        let refused = matches!(types[i], SchemaType::Unknown) || types[i].has_fake_tensor();
        if refused || types[i].holds_tensors() {
            return false;
        }
        i += 1;
    }
    true
}

/// The result at `index`; what fits everything where that has been refused elsewhere.
pub const fn result_type(types: &[SchemaType], index: usize) -> SchemaType {
    if index < types.len() { types[index] } else { SchemaType::Unknown }
}

/// The slot `needs_grad_x`: a `bool` if the argument holds tensors, and a refusal in any type if it does not.
pub const fn needs_grad(argument: SchemaType, index: u16, wants: &'static str, refusal: &'static str) -> Slot {
    let (ty, wants) = if argument.holds_tensors() { (SchemaType::Bool, wants) } else { (SchemaType::None, refusal) };
    Slot { kind: SlotKind::NeedsGrad, index, ty, wants, fake_wants: "", unwritten: "" }
}
