//! How objects are pickled, and what tracing sees of them.

use super::gather::ClassEntry;
use crate::error::{OrTorch, Result};
use crate::op::KernelContext;
use crate::registration::{ClassDef, FieldDef, Kernel, StateDef, StateRole};
use cxx::UniquePtr;
use std::pin::Pin;
use torchop_sys::ffi;

/// Registers all ways of one class.
pub(super) fn register(entry: &ClassEntry, class: &mut UniquePtr<ffi::Class>) -> Result<()> {
    let def = entry.class;
    // Pickled first: where both are there and `flatten` is a function of the user's, the fields tell what an object owns.
    match entry.pickle() {
        Some(state) => register_pickle(entry, state, class.pin_mut())?,
        None => ffi::class_no_pickle(
            class.pin_mut(),
            &format!(
                "{} cannot be pickled or copied: add `pickle` to `#[torch_class(name = …)]` on the struct at {}, or write functions \
                 marked `#[getstate]` and `#[setstate]`",
                def.name, def.location
            ),
        )
        .or_torch()?,
    }
    entry.flatten().map_or(Ok(()), |state| register_flatten(def, state, class.pin_mut()))?;
    let state = entry.flatten().or(entry.pickle()).filter(|_| def.to);
    state.map_or(Ok(()), |state| register_to(def, state, class.pin_mut()))
}

fn register_to(def: &ClassDef, state: &StateDef, class: Pin<&mut ffi::Class>) -> Result<()> {
    let (name, save) = context(def, "to", state.save, &[]);
    let (_, restore) = context(def, "to", state.restore, state.fields);
    let (names, types) = texts(state.fields);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    // SAFETY: the function and its contexts live for ever and belong together.
    unsafe { ffi::class_move_to(class, name, KernelContext::FUNCTION, save, restore, &names, &types) }.or_torch()
}

fn register_pickle(entry: &ClassEntry, state: &StateDef, mut class: Pin<&mut ffi::Class>) -> Result<()> {
    let def = entry.class;
    let (_, save) = context(def, "__getstate__", state.save, &[]);
    let (names, _) = texts(state.fields);
    // SAFETY: the function and its context live for ever and belong together.
    unsafe { ffi::class_pickle(class.as_mut(), def.name, KernelContext::FUNCTION, save, def.version, &names) }
        .or_torch()?;
    register_reader(def, def.version, state.fields, state.restore, class.as_mut())?;
    for role in &entry.states {
        if let StateRole::Upgrade { version, fields, restore, .. } = role {
            register_reader(def, *version, fields, *restore, class.as_mut())?;
        }
    }
    Ok(())
}

fn register_reader(
    def: &ClassDef,
    version: u32,
    fields: &[FieldDef],
    restore: Kernel,
    class: Pin<&mut ffi::Class>,
) -> Result<()> {
    let (name, restore) = context(def, "__setstate__", restore, fields);
    let (names, types) = texts(fields);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    // SAFETY: the function and its context live for ever and belong together.
    unsafe { ffi::class_state_reader(class, name, version, KernelContext::FUNCTION, restore, &names, &types) }
        .or_torch()
}

fn register_flatten(def: &ClassDef, state: &StateDef, class: Pin<&mut ffi::Class>) -> Result<()> {
    let (name, save) = context(def, "__obj_flatten__", state.save, &[]);
    let (_, restore) = context(def, "__obj_unflatten__", state.restore, state.fields);
    let (names, types) = texts(state.fields);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    // SAFETY: the function and its contexts live for ever and belong together.
    unsafe { ffi::class_flatten(class, name, KernelContext::FUNCTION, save, restore, &names, &types) }.or_torch()
}

/// Of a function that takes the object and then the entries; with its name for messages.
fn context(def: &ClassDef, what: &str, call: Kernel, entries: &[FieldDef]) -> (&'static str, *const u8) {
    let name = format!("{}.{what}", def.name).leak();
    let arguments = std::iter::once("self").chain(entries.iter().map(|entry| entry.name)).collect();
    (name, KernelContext { call, name, arguments, hidden: 1 }.leak())
}

fn texts(entries: &[FieldDef]) -> (Vec<&str>, Vec<String>) {
    entries.iter().map(|entry| (entry.name, entry.ty.to_string())).unzip()
}
