//! The namespace of an operator or a class: present, an identifier, and not one of torch's own.

use super::Report;
use torchop_schema::OperatorName;

/// Namespaces that torch 2.11 to 2.15 register operators in, and what else `torch.ops` has attributes for.
const TORCHS_OWN: [&str; 45] = [
    "_c10d_functional",
    "_c10d_functional_autograd",
    "_dtensor",
    "_inductor_test",
    "_native",
    "_native_aot",
    "_quantized",
    "_test",
    "aten",
    "c10d",
    "c10d_functional",
    "coor",
    "cuda",
    "debug_mode_ops",
    "debugprims",
    "export",
    "flex_gemm",
    "flex_lib",
    "fsdp",
    "inductor",
    "inductor_prims",
    "mempool",
    "mkl",
    "mkldnn",
    "mkldnn_prepacked",
    "onednn",
    "onnx",
    "onnx_symbolic",
    "prepacked",
    "prim",
    "prims",
    "profiler",
    "quantization",
    "quantized",
    "quantized_decomposed",
    "rngprims",
    "sparse",
    "static_runtime",
    "streams",
    "symm_mem",
    "tr_c10d",
    "higher_order",
    "import_module",
    "load_library",
    "loaded_libraries",
];

/// What is wrong with a namespace, and what to do instead.
pub(crate) fn refusal(namespace: &str) -> Option<(String, &'static str)> {
    if !is_identifier(namespace) {
        return Some((
            format!("the namespace `{namespace}` is not an identifier"),
            "use ASCII letters, digits and underscores, so that `torch.ops.namespace.name` can be written",
        ));
    }
    TORCHS_OWN.contains(&namespace).then(|| {
        (
            format!("the namespace `{namespace}` is torch's own"),
            "use a namespace of your own, such as the name of your package",
        )
    })
}

/// ASCII letters, digits and underscores, not beginning with a digit.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn check(name: &OperatorName, report: &Report<'_>) {
    let Some(namespace) = &name.namespace else {
        report.at(0..name.name.len(), "the operator has no namespace", format!("write `my_ops::{}`", name.name));
        return;
    };
    if report.foreign && is_identifier(namespace) {
        return;
    }
    if let Some((message, help)) = refusal(namespace) {
        let start = report.text.find(namespace.as_str()).unwrap_or_default();
        let more = if is_identifier(namespace) { "; `foreign` adds kernels to an operator that is there" } else { "" };
        report.at(start..start + namespace.len(), message, format!("{help}{more}"));
    }
}
