//! Dispatch keys: which devices or passes a kernel serves.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// A dispatch key as the user wrote it.
#[derive(Clone)]
pub(crate) struct Key {
    /// Torch's own name.
    pub(crate) torch: &'static str,
    /// The place it was named at.
    pub(crate) span: Span,
}

/// Short names for the most frequent keys.
const SHORT: [(&str, &str); 4] = [
    ("cpu", "CPU"),
    ("cuda", "CUDA"),
    ("composite", "CompositeImplicitAutograd"),
    ("composite_explicit", "CompositeExplicitAutograd"),
];

/// Torch's names, as in the module `key` of the runtime.
const TORCH: [&str; 32] = [
    "CPU",
    "CUDA",
    "HIP",
    "XLA",
    "MPS",
    "IPU",
    "XPU",
    "HPU",
    "VE",
    "Lazy",
    "MTIA",
    "MAIA",
    "PrivateUse1",
    "PrivateUse2",
    "PrivateUse3",
    "SparseCPU",
    "SparseCUDA",
    "SparseXPU",
    "SparsePrivateUse1",
    "SparseCsrCPU",
    "SparseCsrCUDA",
    "SparseCsrXPU",
    "QuantizedCPU",
    "QuantizedCUDA",
    "QuantizedXPU",
    "NestedTensorCPU",
    "NestedTensorCUDA",
    "NestedTensorXPU",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    META,
];

/// The key that fakes are registered for.
pub(crate) const META: &str = "Meta";

impl Key {
    /// The key of that name, if it is one.
    pub(crate) fn named(name: &Ident) -> Option<Key> {
        let text = name.unraw().to_string();
        let short = SHORT.iter().find(|(short, _)| *short == text).map(|(_, torch)| *torch);
        let torch = short.or_else(|| TORCH.into_iter().find(|torch| *torch == text))?;
        Some(Key { torch, span: name.span() })
    }

    /// The key of a fake, which the user does not name.
    pub(crate) fn meta(span: Span) -> Key {
        Key { torch: META, span }
    }
}

/// Names to suggest for a mistyped one.
pub(crate) fn all_names() -> impl Iterator<Item = &'static str> {
    SHORT.iter().map(|(short, _)| *short).chain(TORCH.into_iter().filter(|torch| *torch != META))
}

/// For messages.
pub(crate) const EXPECTED: &str =
    "`cpu`, `cuda`, `composite`, `composite_explicit`, or another dispatch key by torch's name, such as `XPU`";
