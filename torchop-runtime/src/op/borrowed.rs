//! What is looked at from Rust is not given to an operator that writes to it, nor what is written to from Rust to any.

use crate::borrow::{Claim, Clash, Place, any_live, conflict};
use crate::convert::{Arguments, Scratch, Value};
use crate::error::{Error, Result};
use crate::tensor::{clash, parts};
use std::panic::Location;
use torchop_sys::{RawValue, TensorHandle, ffi};

/// Nothing to do, at the price of one look, while nobody holds a view.
#[inline]
pub(super) fn check(
    operator: &ffi::Operator,
    name: &str,
    arguments: &[RawValue],
    place: &'static Location<'static>,
) -> Result<()> {
    if any_live()? { check_all(operator, name, arguments, place) } else { Ok(()) }
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
    fn of(operator: &ffi::Operator, index: usize, values: &[RawValue]) -> Effect {
        // SAFETY: live values, as many as said.
        match unsafe { ffi::operator_effect(operator, index, values.as_ptr(), values.len()) } {
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
        let wanted = Wanted { effect: Effect::of(operator, index, values), name, index, place };
        // SAFETY: what is lent lives until the call has returned.
        unsafe { bits.lent_list_tensors() }.try_for_each(|tensor| wanted.check(tensor))?;
        wanted.check_value(arguments.at(index))?;
    }
    Ok(())
}

/// What is to be done with an argument, and who says so.
struct Wanted<'n> {
    effect: Effect,
    name: &'n str,
    index: usize,
    place: &'static Location<'static>,
}

impl Wanted<'_> {
    /// Every tensor in a value: in lists, tuples and dictionaries too.
    fn check_value(&self, value: Value<'_>) -> Result<()> {
        if let Some(tensor) = value.tensor() {
            return self.check(tensor);
        }
        if let Some(elements) = value.list().transpose()?.or_else(|| value.tuple()) {
            return (0..elements.len()).try_for_each(|element| self.check_value(elements.at(element)));
        }
        if let Some(entries) = value.dict().transpose()? {
            return entries.iter().try_for_each(|(_, value)| self.check_value(*value));
        }
        Ok(())
    }

    fn check(&self, tensor: &TensorHandle) -> Result<()> {
        // A tensor that is resized beyond its storage, which is pinned, would be left too large for it (torch sets the sizes first).
        if self.effect == Effect::Resizes {
            let (mut begin, mut bytes) = (0, 0);
            if ffi::tensor_storage_range(tensor, &mut begin, &mut bytes) {
                let whole = Claim::solid(begin, bytes, 0, true, Place::new(self.place));
                return self.free_of(conflict(whole));
            }
            return parts(tensor).try_for_each(|part| self.check(part.handle()));
        }
        self.free_of(clash(tensor, self.effect != Effect::Reads, self.place))
    }

    fn free_of(&self, clash: Option<Clash>) -> Result<()> {
        let Some(clash) = clash else { return Ok(()) };
        Err(Error::runtime(format!(
            "{}: argument {} is in use: it is borrowed for {}, and the operator would use it for {}; let the view go out of scope first (`drop(view)`)",
            self.name,
            self.index,
            clash.held(),
            clash.wanted()
        )))
    }
}
