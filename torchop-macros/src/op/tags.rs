//! `tags(…)`: what an operator promises torch, by the names of `torch.Tag`.

use crate::errors::Errors;
use crate::text::{did_you_mean, listed};
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Every operator defined with torchop works under `torch.compile`.
const ALWAYS: &str = "pt2_compliant_tag";

/// The names; `inplace` and `out` are newer than the oldest supported torch, which is not told of them.
const TAGS: [&str; 20] = [
    "core",
    "cudagraph_unsafe",
    "data_dependent_output",
    "dynamic_output_shape",
    "flexible_layout",
    "generated",
    "inplace",
    "inplace_view",
    "maybe_aliasing_or_mutating",
    "needs_contiguous_strides",
    "needs_exact_strides",
    "needs_fixed_stride_order",
    "nondeterministic_bitwise",
    "nondeterministic_seeded",
    "out",
    "out_variant",
    "pointwise",
    ALWAYS,
    "reduction",
    "view_copy",
];

/// The tags of an operator for which the user named `given`.
pub(crate) fn tags(given: &[Ident], errors: &Errors) -> Vec<&'static str> {
    let mut tags = vec![ALWAYS];
    for name in given {
        let text = name.unraw().to_string();
        match TAGS.into_iter().find(|tag| *tag == text) {
            Some(tag) if !tags.contains(&tag) => tags.push(tag),
            Some(_) => {}
            None => errors.at(
                name,
                format!("torch has no tag `{text}`, expected one of {}{}", listed(TAGS), did_you_mean(&text, TAGS)),
            ),
        }
    }
    tags
}
