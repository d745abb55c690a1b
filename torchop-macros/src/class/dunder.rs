//! Methods that Python calls by itself: which of them torch's objects pass on.

use crate::errors::Errors;
use crate::text::did_you_mean;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{FnArg, Signature};

/// What `torch.ScriptObject` looks for among a class's methods, and how many arguments Python gives: the same on every
/// supported torch. A test holds this against torch.
const KNOWN: [(&str, usize); 48] = [
    ("__abs__", 0),
    ("__add__", 1),
    ("__and__", 1),
    ("__concat__", 1),
    ("__contains__", 1),
    ("__delitem__", 1),
    ("__eq__", 1),
    ("__floordiv__", 1),
    ("__ge__", 1),
    ("__getitem__", 1),
    ("__gt__", 1),
    ("__iadd__", 1),
    ("__iand__", 1),
    ("__iconcat__", 1),
    ("__ifloordiv__", 1),
    ("__ilshift__", 1),
    ("__imatmul__", 1),
    ("__imod__", 1),
    ("__imul__", 1),
    ("__index__", 0),
    ("__inv__", 0),
    ("__invert__", 0),
    ("__ior__", 1),
    ("__ipow__", 1),
    ("__irshift__", 1),
    ("__isub__", 1),
    ("__itruediv__", 1),
    ("__ixor__", 1),
    ("__le__", 1),
    ("__len__", 0),
    ("__lshift__", 1),
    ("__lt__", 1),
    ("__matmul__", 1),
    ("__mod__", 1),
    ("__mul__", 1),
    ("__ne__", 1),
    ("__neg__", 0),
    ("__not__", 0),
    ("__or__", 1),
    ("__pos__", 0),
    ("__pow__", 1),
    ("__repr__", 0),
    ("__rshift__", 1),
    ("__setitem__", 2),
    ("__str__", 0),
    ("__sub__", 1),
    ("__truediv__", 1),
    ("__xor__", 1),
];

/// ```text
/// fn __len__(&self) -> i64          Python calls it
/// fn __length__(&self) -> i64       nobody does
/// fn __getitem__(&self) -> i64      Python gives an index
/// ```
pub(super) fn check(signature: &Signature, errors: &Errors) {
    let name = &signature.ident;
    let text = name.unraw().to_string();
    if !(text.starts_with("__") && text.ends_with("__") && text.len() > 4) {
        return;
    }
    let Some((_, wanted)) = KNOWN.iter().find(|(known, _)| *known == text) else {
        errors.at(name, unknown(name, &text));
        return;
    };
    let given = signature.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_))).count();
    if given != *wanted {
        errors.at(name, format!("Python calls `{text}` with {wanted} arguments after `self`, got {given}"));
    }
}

fn unknown(name: &Ident, text: &str) -> String {
    let advice = match text {
        "__init__" => "mark the constructor `#[init]`",
        "__getstate__" | "__setstate__" | "__reduce__" => "write `pickle` on the struct",
        "__obj_flatten__" | "__obj_unflatten__" => "write `flatten` on the struct",
        "__hash__" => "torch hashes its objects by identity",
        "__call__" => "torch's objects cannot be called; name the method `forward`",
        "__iter__" | "__next__" | "__reversed__" => {
            "write `__len__` and `__getitem__`, which raises an `IndexError` at the end: Python iterates over these"
        }
        "__del__" => "implement `Drop`",
        "__copy__" | "__deepcopy__" => {
            "`copy.deepcopy` goes by `pickle` on the struct; write a method with another name"
        }
        "__enter__" | "__exit__" => "torch's objects are no context managers; write methods and call them",
        _ => {
            return format!(
                "Python cannot call `{name}` on an object of torch's\nname it without the underscores{}",
                did_you_mean(text, KNOWN.map(|(known, _)| known))
            );
        }
    };
    format!("Python cannot call `{name}` on an object of torch's\n{advice}")
}
