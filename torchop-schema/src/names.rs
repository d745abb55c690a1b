//! Names that a default may have: dtypes, and the few older words for numbers; and device strings.

/// The number that a word stands for as a default, where torch reads it for any type.
///
/// `float`, `complex` and `long` are dtypes, `strided` a layout, `Mean` a reduction, `contiguous_format` a memory
/// format.
pub(crate) fn constant(word: &str) -> Option<i64> {
    Some(match word {
        "float" => 6,
        "complex" => 9,
        "long" => 4,
        "strided" | "contiguous_format" => 0,
        "Mean" => 1,
        _ => return None,
    })
}

/// The number of a dtype, where the type is `ScalarType`.
pub(crate) fn dtype(word: &str) -> Option<i64> {
    DTYPES.iter().find(|(name, _)| *name == word).map(|(_, number)| *number)
}

pub(crate) const DTYPES: &[(&str, i64)] = &[
    ("uint8", 0),
    ("int8", 1),
    ("int16", 2),
    ("short", 2),
    ("int32", 3),
    ("int", 3),
    ("int64", 4),
    ("long", 4),
    ("float16", 5),
    ("half", 5),
    ("float32", 6),
    ("float", 6),
    ("float64", 7),
    ("double", 7),
    ("complex32", 8),
    ("chalf", 8),
    ("complex64", 9),
    ("cfloat", 9),
    ("complex128", 10),
    ("cdouble", 10),
    ("bool", 11),
    ("qint8", 12),
    ("quint8", 13),
    ("qint32", 14),
    ("bfloat16", 15),
    ("quint4x2", 16),
    ("quint2x4", 17),
    ("bits1x8", 18),
    ("bits2x4", 19),
    ("bits4x2", 20),
    ("bits8", 21),
    ("bits16", 22),
    ("float8_e5m2", 23),
    ("float8_e4m3fn", 24),
    ("float8_e5m2fnuz", 25),
    ("float8_e4m3fnuz", 26),
    ("uint16", 27),
    ("uint32", 28),
    ("uint64", 29),
    ("uint1", 30),
    ("bit", 30),
    ("uint2", 31),
    ("uint3", 32),
    ("uint4", 33),
    ("uint5", 34),
    ("uint6", 35),
    ("uint7", 36),
    ("int1", 37),
    ("int2", 38),
    ("int3", 39),
    ("int4", 40),
    ("int5", 41),
    ("int6", 42),
    ("int7", 43),
    ("float8_e8m0fnu", 44),
    ("float4_e2m1fn_x2", 45),
];

const DEVICES: &[&str] = &[
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
];

/// Whether torch reads `text` as a device: a device type, and an index up to 127 after a colon.
pub(crate) fn is_device(text: &str) -> bool {
    let (kind, index) = match text.split_once(':') {
        Some((kind, index)) => (kind, Some(index)),
        None => (text, None),
    };
    let plain = |index: &str| {
        let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
        digits && (index == "0" || !index.starts_with('0')) && index.parse::<i8>().is_ok()
    };
    DEVICES.contains(&kind) && index.is_none_or(plain)
}

#[cfg(test)]
mod tests {
    use super::is_device;

    #[test]
    fn devices() {
        for text in ["cpu", "cuda:0", "cuda:127", "privateuseone:3"] {
            assert!(is_device(text), "{text}");
        }
        for text in ["", "npu", "CPU", "cuda:", "cuda:00", "cuda:01", "cuda:128", "cuda:0:0", "cuda:-1", "cuda:+1"] {
            assert!(!is_device(text), "{text}");
        }
    }
}
