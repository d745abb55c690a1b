//! What is looked at from Rust is not given to an operator that writes to it, nor what is written to from Rust to any.

use crate::borrow::{Claim, Clash, Place, any_live, conflict};
use crate::convert::{Arguments, Scratch};
use crate::error::{Error, Result};
use crate::tensor::{Reach, reach};
use std::panic::Location;
use torchop_sys::{RawValue, ffi};

/// Nothing to do, at the price of one look, while nobody holds a view.
#[inline]
#[track_caller]
pub(super) fn check(operator: &ffi::Operator, name: &str, arguments: &[RawValue]) -> Result<()> {
    if any_live()? { check_all(operator, name, arguments, Location::caller()) } else { Ok(()) }
}

/// What an operator does with an argument. As `Effect` in the bridge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Writes,
    /// Gives it, or its storage, another size.
    Resizes,
}

impl Effect {
    fn of(operator: &ffi::Operator, index: usize) -> Effect {
        match ffi::operator_effect(operator, index) {
            0 => Effect::Reads,
            1 => Effect::Writes,
            _ => Effect::Resizes,
        }
    }
}

#[cold]
fn check_all(
    operator: &ffi::Operator,
    name: &str,
    values: &[RawValue],
    place: &'static Location<'static>,
) -> Result<()> {
    let scratch = Scratch::new();
    // SAFETY: live values, which nobody writes to before the call.
    let arguments = unsafe { Arguments::from_raw(values.as_ptr(), values.len(), &scratch) };
    for (index, bits) in values.iter().enumerate() {
        let (value, effect) = (arguments.at(index), Effect::of(operator, index));
        let one = |tensor| check_one(tensor, effect, name, index, place);
        // SAFETY: what is lent lives until the call has returned.
        unsafe { bits.lent_list_tensors() }.try_for_each(one)?;
        if let Some(tensor) = value.tensor() {
            one(tensor)?;
        } else if let Some(Ok(list)) = value.list() {
            (0..list.len()).filter_map(|element| list.at(element).tensor()).try_for_each(one)?;
        }
    }
    Ok(())
}

fn check_one(
    tensor: &torchop_sys::TensorHandle,
    effect: Effect,
    name: &str,
    index: usize,
    place: &'static Location<'static>,
) -> Result<()> {
    // A tensor that is resized beyond its storage, which is pinned, would be left too large for it (torch sets the sizes first).
    if effect == Effect::Resizes {
        let (mut begin, mut bytes) = (0, 0);
        if ffi::tensor_storage_range(tensor, &mut begin, &mut bytes) {
            let whole = Claim::solid(begin, bytes, 0, true, Place::new(place));
            return conflict(&whole).map_or(Ok(()), |clash| Err(in_use(name, index, &clash)));
        }
    }
    let Reach::Memory(claim) = reach(tensor, effect != Effect::Reads, place) else {
        return Ok(()); // no memory of the CPU, or none that anybody could have a view of
    };
    conflict(&claim).map_or(Ok(()), |clash| Err(in_use(name, index, &clash)))
}

fn in_use(name: &str, index: usize, clash: &Clash) -> Error {
    Error::runtime(format!(
        "{name}: argument {index} is in use: it is borrowed for {}, and the operator would use it for {}; let the view go out of scope first (`drop(view)`)",
        clash.held(),
        clash.wanted()
    ))
}
