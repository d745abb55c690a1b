//! What a package's own source says of its inputs, held against what was declared.
//!
//! Torch writes a check of each input into the code that it generates, which it leaves out by default and which does not know that
//! two sizes are the same. Its text is in the package: a declaration that contradicts it is found when the model is loaded. A package without
//! the text is taken at its user's word. The bounds in the text are not compared: they are those of the export and of every choice
//! that inductor made on the way, such as for small batches, which the compiled code does not depend on.

use crate::input::{Dimension, Input, Inputs};
use torchop_runtime::{Error, Result};

/// What the text says of one size or stride of an input.
#[derive(Debug, PartialEq, Eq)]
enum Said<'t> {
    DType(&'t str),
    Size(usize, i64),
    Stride(usize, i64),
}

/// An error where the text is of other inputs than were declared.
pub(crate) fn compare(text: &str, inputs: &Inputs) -> Result<()> {
    for (index, input) in inputs.list.iter().enumerate() {
        for said in said_of(text, index) {
            let wrong = |what: String| Err(Error::value(format!("input `{}` (position {index}): {what}", input.name)));
            match said {
                Said::DType(dtype) if dtype != input.dtype.python_name() => {
                    return wrong(format!("declared {}, compiled for {dtype}", input.dtype));
                }
                Said::Size(dim, _) | Said::Stride(dim, _) if dim >= input.sizes.len() => {
                    return wrong(format!("declared with {} dimensions, compiled for more", input.sizes.len()));
                }
                Said::Size(dim, size) if input.sizes[dim] != Dimension::Fixed(size) => {
                    return wrong(format!("dimension {dim} was not dynamic at export; write {size} there"));
                }
                Said::Stride(dim, stride) if dense_stride(input, dim).is_some_and(|dense| dense != stride) => {
                    return wrong(format!(
                        "compiled for stride {stride} in dimension {dim}, which a {} tensor of these sizes has not; export with such a tensor, or declare it otherwise",
                        if input.channels_last { "channels_last" } else { "contiguous" }
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The stride of a dense tensor in that dimension, where it is a number and counts.
fn dense_stride(input: &Input, dim: usize) -> Option<i64> {
    let fixed = |dim: usize| match input.sizes[dim] {
        Dimension::Fixed(size) => Some(size.max(1)),
        Dimension::Named { .. } => None,
    };
    if input.sizes[dim] == Dimension::Fixed(1) {
        return None; // a size of 1 may have any
    }
    let rank = input.sizes.len();
    // From the innermost dimension on: those that lie inside of this one.
    let order: Vec<usize> = match input.channels_last {
        true => std::iter::once(1).chain((2..rank).rev()).chain([0]).collect(),
        false => (0..rank).rev().collect(),
    };
    order.iter().take_while(|inner| **inner != dim).try_fold(1i64, |stride, inner| stride.checked_mul(fixed(*inner)?))
}

/// The conditions of the check of one input.
fn said_of(text: &str, index: usize) -> impl Iterator<Item = Said<'_>> {
    let start = text.find(&format!("static void check_input_{index}(\n")).map_or("", |start| &text[start..]);
    let end = start.find("\n}").unwrap_or(start.len());
    start[..end].lines().filter_map(|line| read_line(line.trim()))
}

fn read_line(line: &str) -> Option<Said<'_>> {
    if let Some((_, dtype)) = line.split_once("_expected_dtype = aoti_torch_dtype_") {
        return Some(Said::DType(dtype.split_once('(')?.0));
    }
    let condition = line.strip_prefix("if (")?.strip_suffix(") {")?;
    let (number, place) = condition.split_once(" != ")?;
    let said = if place.contains("_stride[") { Said::Stride } else { Said::Size };
    let dim = place.rsplit_once('[')?.1.strip_suffix(']')?;
    Some(said(dim.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::declared::read;
    use torchop_runtime::DeviceType;

    /// As torch 2.11 and 2.15 write it.
    const TEXT: &str = "
AOTI_NOINLINE static void check_input_0(
    AtenTensorHandle* input_handles
) {
    int32_t arg3_1_expected_dtype = aoti_torch_dtype_float32();
    if (arg3_1_expected_dtype != arg3_1_dtype) {
        std::stringstream ss;
    }
    if (arg3_1_size[0] < 4) {
        ss << \"input_handles[0]: dim value is too small at 0, \"
    }
    if (arg3_1_size[0] > 64) {
    }
    if (3 != arg3_1_size[1]) {
    }
    if (3 != arg3_1_stride[0]) {
    }
    if (1 != arg3_1_stride[1]) {
    }
}
AOTI_NOINLINE static void check_input_1(
    AtenTensorHandle* input_handles
) {
    int32_t arg4_1_expected_dtype = aoti_torch_dtype_int64();
    if (5 != arg4_1_size[0]) {
    }
}
";

    fn compared(texts: &[&str]) -> Result<()> {
        compare(TEXT, &read(texts, DeviceType::Cpu)?)
    }

    #[test]
    fn declarations_may_be_narrower() {
        for x in ["x: float32[n, 3]", "x: float32[2*pairs, 3]", "x: float32[n=5..=9, 3]", "x: float32[64, 3]"] {
            compared(&[x, "n: int64[5]"]).unwrap();
        }
    }

    #[test]
    fn contradictions_are_errors() {
        for (texts, says) in [
            (["x: float64[n, 3]", "n: int64[5]"], "input `x` (position 0): declared float64, compiled for float32"),
            (
                ["x: float32[n, 3]", "n: int64[m]"],
                "input `n` (position 1): dimension 0 was not dynamic at export; write 5 there",
            ),
            (
                ["x: float32[n, 4]", "n: int64[5]"],
                "input `x` (position 0): dimension 1 was not dynamic at export; write 3 there",
            ),
            (["x: float32[n]", "n: int64[5]"], "input `x` (position 0): declared with 1 dimensions, compiled for more"),
        ] {
            assert_eq!(compared(&texts).unwrap_err().message(), says);
        }
    }

    #[test]
    fn strides_are_those_of_a_dense_tensor() {
        let inputs =
            read(&["x: float32[n, 3, 8, 9]", "y: float32[n, 3, 8, 9] channels_last"], DeviceType::Cpu).unwrap();
        let strides = |input: &Input| (0..4).map(|dim| dense_stride(input, dim)).collect::<Vec<_>>();
        assert_eq!(strides(&inputs.list[0]), [Some(216), Some(72), Some(9), Some(1)]);
        assert_eq!(strides(&inputs.list[1]), [Some(216), Some(1), Some(27), Some(3)]);
        let inputs = read(&["x: float32[1, 3, w]"], DeviceType::Cpu).unwrap();
        assert_eq!((0..3).map(|dim| dense_stride(&inputs.list[0], dim)).collect::<Vec<_>>(), [None, None, Some(1)]);
    }
}
