//! Operators that another library has defined: `foreign` on the definition. Nothing of theirs is replaced.

use super::gather::{COMPOSITE, FAKE, OpEntry, full_name};
use super::schema_text;
use crate::error::{OrTorch, Result};
use torchop_sys::ffi;

/// The keys that a gradient can be registered for.
const AUTOGRAD: [&str; 8] = [
    "Autograd",
    "AutogradCPU",
    "AutogradCUDA",
    "AutogradXPU",
    "AutogradMeta",
    "AutogradPrivateUse1",
    "AutogradOther",
    "AutogradFunctionality",
];

/// The key of rules for vmap.
const BATCHED: &str = "FuncTorchBatched";

/// What is wrong with adding to a foreign operator what this library has for it.
pub(super) fn problems(entry: &OpEntry) -> Result<Vec<String>> {
    let (op, name) = (entry.op, full_name(entry.op));
    let has = |key: &str| ffi::operator_has_kernel(op.name, op.overload, key).or_torch();
    let theirs = ffi::operator_schema(op.name, op.overload).or_torch()?;
    let theirs = theirs.to_string_lossy();
    if theirs.is_empty() {
        return Ok(vec![format!(
            "operator `{name}` ({}) is `foreign`, and no library has defined it: load the library that defines it first",
            op.location
        )]);
    }
    let ours = ffi::schema_printed(&schema_text::of_op(op)).or_torch()?;
    let ours = ours.to_string_lossy();
    if ours != theirs {
        return Ok(vec![format!(
            "operator `{name}` is defined as `{theirs}` by its library and as `{ours}` at {}; write `schema = \"…\"` as its library has it",
            op.location
        )]);
    }
    if has(COMPOSITE)? {
        return Ok(vec![format!(
            "operator `{name}` ({}) is composite where it is defined: torch differentiates its parts, and a kernel of its own would lose the gradient without a word; give kernels to the operators that it calls",
            op.location
        )]);
    }
    let mut problems = vec![];
    for kernel in &entry.kernels {
        if has(kernel.key)? {
            let what = if kernel.key == FAKE { "fake" } else { kernel.key };
            problems.push(format!(
                "operator `{name}` is `foreign` and has a {what} kernel already, which the one at {} would replace; drop it",
                kernel.location
            ));
        }
    }
    problems.extend(fake_from_python(entry, &name));
    let gradient = entry.backward.map(|backward| ("backward", backward.location));
    let gradient = gradient.or(entry.jvp.map(|jvp| ("forward-mode derivative", jvp.location)));
    if let Some((what, location)) = gradient {
        for key in AUTOGRAD {
            if has(key)? {
                problems.push(format!(
                    "operator `{name}` is `foreign` and has a gradient already ({key}), which the {what} at {location} would replace; drop it"
                ));
                break;
            }
        }
    }
    if let (Some(batch), true) = (entry.batch, has(BATCHED)?) {
        problems.push(format!(
            "operator `{name}` is `foreign` and has a rule for vmap already, which the one at {} would replace; drop it",
            batch.location
        ));
    }
    Ok(problems)
}

/// What torch takes from Python alone is the defining library's to say.
fn fake_from_python(entry: &OpEntry, name: &str) -> Option<String> {
    let fake = entry.fake()?;
    let by_python = entry.open_fake().is_some() || schema_text::takes_objects(entry.op);
    by_python.then(|| {
        format!(
            "the fake of the `foreign` operator `{name}` at {} would be called from Python, since it takes objects or no tensors, or has sizes that depend on data; register it there, with `torch.library.register_fake`",
            fake.location
        )
    })
}
