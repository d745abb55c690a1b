//! Torch's operators that do not check what they are called with.

/// Namespaces of torch's libraries. In them, as in `aten`, a name that begins with `_` is torch's own.
const OF_TORCH: &[&str] = &[
    "aten",
    "c10d",
    "inductor",
    "mkl",
    "mkldnn",
    "onednn",
    "prim",
    "prims",
    "profiler",
    "quantization",
    "quantized",
    "sparse",
    "symm_mem",
    "_c10d_functional",
    "_native",
    "_quantized",
    "_test",
];

/// Namespaces of compilers, which plan memory before they call.
const PLANNED: &[&str] = &["inductor", "static_runtime"];

/// Operators that anybody may call and that trust their arguments: they index by numbers that they do not look at (`ctc_loss`, the
/// constructors of sparse tensors, `segment_reduce` if it is told to), expect other sizes or lengths without a look (`lstm`, `_foreach_copy`,
/// `batch_norm_update_stats`), write to tensors that they are not given (`backward`), or map memory that other processes write to
/// (`from_file`). A name that ends with `_` stands for all that begin with it.
const TRUSTING: &[&str] = &[
    "aten::_foreach_copy",
    "aten::backward",
    "aten::batch_norm_update_stats",
    "aten::ctc_loss",
    "aten::fbgemm_",
    "aten::from_file",
    "aten::fused_moving_avg_obs_fake_quant",
    "aten::gru",
    "aten::lstm",
    "aten::mkldnn_rnn_layer",
    "aten::quantized_gru_cell",
    "aten::quantized_lstm_cell",
    "aten::quantized_rnn_relu_cell",
    "aten::quantized_rnn_tanh_cell",
    "aten::range",
    "aten::rnn_relu",
    "aten::rnn_tanh",
    "aten::segment_reduce",
    "aten::sparse_bsc_tensor",
    "aten::sparse_bsr_tensor",
    "aten::sparse_compressed_tensor",
    "aten::sparse_coo_tensor",
    "aten::sparse_csc_tensor",
    "aten::sparse_csr_tensor",
];

/// Whether `ns::name.overload` is an operator of torch that may read or write memory that is not its arguments', if it is called with others than
/// torch itself would give it.
///
/// Those are the operators whose names begin with `_` (but for `__and__` and its relatives, and `_foreach_…` without `out`, which are for everybody);
/// the gradients of others, `…_backward`, which take what the forward one gave as it is; all that compilers call after they have
/// planned memory; and some that are known to trust their arguments.
pub const fn is_private(operator: &str, overload: &str) -> bool {
    let Some((namespace, name)) = split(operator) else { return false };
    if one_of(namespace, PLANNED) || one_of(operator, TRUSTING) {
        return true;
    }
    if !one_of(namespace, OF_TORCH) {
        return false;
    }
    // The lengths of `out` are not looked at.
    let is_foreach = starts_with(name, "_foreach_", 0) && !contains(overload, "out");
    let for_everybody = starts_with(name, "__", 0) || is_foreach;
    (starts_with(name, "_", 0) && !for_everybody) || contains(name, "_backward")
}

const fn split(operator: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    while at + 1 < operator.len() {
        if operator.as_bytes()[at] == b':' && operator.as_bytes()[at + 1] == b':' {
            let (namespace, rest) = operator.split_at(at);
            return Some((namespace, rest.split_at(2).1));
        }
        at += 1;
    }
    None
}

const fn one_of(text: &str, all: &[&str]) -> bool {
    let mut at = 0;
    while at < all.len() {
        let is_whole = text.len() == all[at].len() || ends_with(all[at], b'_');
        if is_whole && starts_with(text, all[at], 0) {
            return true;
        }
        at += 1;
    }
    false
}

const fn starts_with(text: &str, prefix: &str, from: usize) -> bool {
    let (text, prefix) = (text.as_bytes(), prefix.as_bytes());
    let mut at = 0;
    while at < prefix.len() {
        if from + at >= text.len() || text[from + at] != prefix[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn ends_with(text: &str, last: u8) -> bool {
    !text.is_empty() && text.as_bytes()[text.len() - 1] == last
}

const fn contains(text: &str, part: &str) -> bool {
    let mut from = 0;
    while from < text.len() {
        if starts_with(text, part, from) {
            return true;
        }
        from += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_torchs_own_is_known_by_its_name() {
        for private in [
            "aten::_softmax",
            "aten::_reshape_alias",
            "aten::_",
            "inductor::_reinterpret_tensor",
            "inductor::resize_storage_bytes_",
            "mkldnn::_linear_pointwise",
            "aten::max_pool2d_with_indices_backward",
            "aten::backward",
            "aten::sparse_coo_tensor",
            "aten::ctc_loss",
            "aten::fbgemm_linear_int8_weight",
        ] {
            assert!(is_private(private, ""), "{private}");
        }
        for public in [
            "aten::softmax",
            "my::_op",
            "my::f_backward",
            "aten::",
            "aten::__and__",
            "aten::sparse_mask",
            "relu",
            "",
            "inductors::f",
            "aten::backwards",
            "aten::lstm_cell",
        ] {
            assert!(!is_private(public, "out"), "{public}");
        }
        assert!(!is_private("aten::_foreach_copy_", "") && is_private("aten::_foreach_copy", ""));
        assert!(!is_private("aten::_foreach_add_", "Scalar") && is_private("aten::_foreach_add", "Scalar_out"));
    }
}
