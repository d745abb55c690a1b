//! Registration of what torch's transforms ask for: gradients, tangents, batches and casts.

use super::gather::{OpEntry, full_name};
use super::register::hidden_name_of;
use super::schema_text::takes_objects;
use crate::error::{OrTorch, Result};
use crate::hidden::Role;
use crate::op::KernelContext;
use crate::registration::{
    BackwardDef, BatchDef, BatchNeedKind, Constant, JvpDef, JvpNeedKind, Kernel, OpDef, SlotKind,
};
use cxx::UniquePtr;
use std::borrow::Cow;
use torchop_sys::ffi;

type Namespace = UniquePtr<ffi::Namespace>;

/// All of them, of an operator that is not composite. `local` is its name without namespace.
pub(super) fn register(namespace: &mut Namespace, entry: &OpEntry, name: &'static str, local: &str) -> Result<()> {
    let op = entry.op;
    // What a foreign operator says of its gradient stays.
    if !op.foreign || entry.backward.is_some() || entry.jvp.is_some() {
        add_autograd(namespace, entry, name, local)?;
    }
    if let Some(batch) = entry.batch {
        add_batch(namespace, entry, batch, name, local)?;
    }
    for rule in op.autocast {
        let (tensors, arguments) = (not_written(entry), op.arguments.len() as u16);
        ffi::namespace_autocast(namespace.pin_mut(), local, rule.key, rule.device, rule.dtype, &tensors, arguments)
            .or_torch()?;
    }
    Ok(())
}

fn add_autograd(namespace: &mut Namespace, entry: &OpEntry, name: &'static str, local: &str) -> Result<()> {
    let op = entry.op;
    let (constant, all): (Cow<'_, [u16]>, bool) = match op.constant_results {
        Constant::All => ((0..op.returns).collect(), true),
        Constant::Some(results) => (results.into(), false),
    };
    let no_backward = if entry.backward.is_none() { no_backward(entry, name).leak() } else { "" };
    let mut autograd = ffi::autograd_new(
        name,
        op.tensor_arguments,
        op.written_arguments,
        op.arguments.len() as u16,
        op.returns,
        &constant,
        all,
        no_backward,
    )
    .or_torch()?;
    if let Some(backward) = entry.backward {
        add_backward(&mut autograd, entry, backward, name)?;
    }
    if let Some(jvp) = entry.jvp {
        add_jvp(&mut autograd, entry, jvp, name)?;
    }
    if entry.backward.is_some() && entry.fake().is_some() && takes_objects(op) {
        let [held, backward] = traced_backward_names(op);
        ffi::namespace_traced_backward(namespace.pin_mut(), name, &held, &backward, &autograd).or_torch()?;
    }
    ffi::namespace_autograd(namespace.pin_mut(), local, autograd).or_torch()
}

/// The hidden operators behind the gradient of an operator that takes objects, in compiled graphs: one keeps the objects, the
/// other is the backward.
pub(super) fn traced_backward_names(op: &OpDef) -> [String; 2] {
    [Role::Held, Role::Backward].map(|role| hidden_name_of(op, role))
}

/// What is said to somebody who asks for a gradient that there is not.
fn no_backward(entry: &OpEntry, name: &str) -> String {
    let op = entry.op;
    match entry.backward_of {
        Some(forward) => format!(
            "{} is not twice differentiable: its backward {name} ({}) has no backward; write one with `#[torch_op(backward_of = …)]`",
            full_name(forward),
            op.location
        ),
        None => format!(
            "{name} ({}) has no backward: write one with `#[torch_op(backward_of = …)]`, say `nondifferentiable` on the definition if its results have no gradient, or call it under torch.no_grad()",
            op.location
        ),
    }
}

/// Each need in one number: kind, index << 8, optional << 24 (see library.h).
fn packed(kind: u32, index: u16, optional: bool) -> u32 {
    kind | u32::from(index) << 8 | u32::from(optional) << 24
}

fn context(entry: &OpEntry, call: Kernel, name: &'static str, needs: impl Iterator<Item = (bool, u16)>) -> *const u8 {
    let arguments = entry.op.arguments;
    let names = needs.map(|(is_argument, index)| match arguments.get(usize::from(index)) {
        Some(argument) if is_argument => *argument,
        _ => "of the result",
    });
    KernelContext { call, name, arguments: names.collect(), hidden: 0 }.leak()
}

fn add_backward(
    autograd: &mut UniquePtr<ffi::AutogradOp>,
    entry: &OpEntry,
    backward: &BackwardDef,
    name: &str,
) -> Result<()> {
    let needs: Vec<u32> =
        backward.needs.iter().map(|need| packed(need.kind as u32, need.index, need.optional)).collect();
    let name = format!("{name} backward ({})", backward.location).leak();
    let is_argument = |kind| matches!(kind, SlotKind::Argument | SlotKind::NeedsGrad);
    let names = backward.needs.iter().map(|need| (is_argument(need.kind), need.index));
    let context = context(entry, backward.call, name, names);
    // SAFETY: the function and its context live for ever and belong together.
    unsafe {
        ffi::autograd_backward(autograd.pin_mut(), KernelContext::FUNCTION, context, name, &needs, backward.gradients)
    }
    .or_torch()
}

fn add_jvp(autograd: &mut UniquePtr<ffi::AutogradOp>, entry: &OpEntry, jvp: &JvpDef, name: &str) -> Result<()> {
    let needs: Vec<u32> = jvp.needs.iter().map(|need| packed(need.kind as u32, need.index, need.optional)).collect();
    let name = format!("{name} jvp ({})", jvp.location).leak();
    let names = jvp.needs.iter().map(|need| (need.kind != JvpNeedKind::Output, need.index));
    let context = context(entry, jvp.call, name, names);
    // SAFETY: as above.
    unsafe { ffi::autograd_jvp(autograd.pin_mut(), KernelContext::FUNCTION, context, name, &needs) }.or_torch()
}

fn add_batch(namespace: &mut Namespace, entry: &OpEntry, batch: &BatchDef, name: &str, local: &str) -> Result<()> {
    let op = entry.op;
    let needs: Vec<u32> = batch.needs.iter().map(|need| packed(need.kind as u32, need.index, false)).collect();
    let name = format!("{name} batch rule ({})", batch.location).leak();
    let names = batch.needs.iter().map(|need| (need.kind != BatchNeedKind::BatchSize, need.index));
    let context = context(entry, batch.call, name, names);
    let (arguments, results) = (op.arguments.len() as u16, op.returns);
    // SAFETY: as above.
    unsafe {
        ffi::namespace_batch(
            namespace.pin_mut(),
            local,
            KernelContext::FUNCTION,
            context,
            name,
            &needs,
            op.tensor_arguments,
            arguments,
            results,
        )
    }
    .or_torch()
}

/// The arguments that autocast may put another tensor in the place of.
fn not_written(entry: &OpEntry) -> Vec<u16> {
    let written = entry.op.written_arguments;
    entry.op.tensor_arguments.iter().copied().filter(|index| !written.contains(index)).collect()
}
