//! What to say when elements cannot be reached: what was found, and what to write instead.

use crate::device::{Device, DeviceType};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind};
use crate::tensor::Tensor;

#[cold]
fn error(tensor: &Tensor, kind: ErrorKind, message: String) -> Error {
    Error::new(kind, message).about(tensor.bits())
}

/// By the number of `torchop::Problem` in the bridge.
#[cold]
pub(super) fn problem(tensor: &Tensor, found: u8, writable: bool) -> Error {
    let access = if writable { "written to" } else { "read" };
    let value = |message: String| error(tensor, ErrorKind::Value, message);
    match found {
        1 => value(format!("an undefined tensor cannot be {access}: it has no elements")),
        2 => error(
            tensor,
            ErrorKind::Runtime,
            format!("a tensor with symbolic sizes cannot be {access}: torch is tracing, there is no data; leave the work to torch's operators, or do it in a kernel"),
        ),
        // A fake tensor says the device that it stands for.
        3 if tensor.device().is_ok_and(|device| device == Device::CPU) => problem(tensor, 10, writable),
        3 => value(match tensor.device() {
            Ok(device) if device.kind == DeviceType::Meta => {
                format!("expected a tensor with data, got a meta tensor, which cannot be {access}: it has sizes and no memory")
            }
            Ok(device) => format!("expected a tensor in the CPU's memory, got one on `{device}`; copy it: `.to_device(Device::CPU)?`"),
            Err(_) => "expected a tensor in the CPU's memory".into(),
        }),
        4 => value(match tensor.layout() {
            Ok(layout) => format!("expected a strided tensor, got layout `{}`; write `.to_dense()?`", layout.python_name()),
            Err(_) => "expected a strided tensor; write `.to_dense()?`".into(),
        }),
        5 => value("expected a strided tensor, got a nested one; take its parts (`aten::unbind.int`) or `aten::to_padded_tensor`".into()),
        6 => value("the tensor is conjugated lazily: its memory holds other values; write `.resolve_conj()?`".into()),
        7 => value("the tensor is negated lazily: its memory holds other values; write `.resolve_neg()?`".into()),
        8 => error(
            tensor,
            ErrorKind::NotImplemented,
            format!("a wrapper without memory of its own cannot be {access} (a tensor subclass, or one of `torch.func`); do it in a kernel, which gets the tensors inside"),
        ),
        9 => error(
            tensor,
            ErrorKind::Runtime,
            format!("a tensor that requires grad is to be {access} outside of a kernel, where its gradient would be lost; write `.detach()?` if that is meant"),
        ),
        10 => error(
            tensor,
            ErrorKind::Runtime,
            format!("the tensor has no data to be {access}: it is a fake one, or its storage was freed"),
        ),
        11 => error(
            tensor,
            ErrorKind::Runtime,
            "the tensor reaches beyond its storage, which somebody made smaller".into(),
        ),
        13 => error(
            tensor,
            ErrorKind::NotImplemented,
            format!("a tensor subclass that says its own sizes or strides cannot be {access}: they need not be those of its memory; do it in a kernel, which gets the tensors inside"),
        ),
        other => error(tensor, ErrorKind::Runtime, format!("the tensor cannot be {access} (reason {other})")),
    }
}

#[cold]
pub(super) fn dtype(tensor: &Tensor, expected: DType, found: i8) -> Error {
    let found = DType::from_code(found);
    error(
        tensor,
        ErrorKind::Type,
        format!(
            "expected {expected} elements, got {found}; convert (`.to_dtype(DType::{expected:?})?`), or choose by dtype (`dispatch!`)"
        ),
    )
}

#[cold]
pub(super) fn rank(tensor: &Tensor, expected: usize, found: usize) -> Error {
    error(
        tensor,
        ErrorKind::Value,
        format!("expected a tensor of {expected} dimensions, got {found}; `view` and `view_mut` take any"),
    )
}

#[cold]
pub(super) fn not_contiguous(tensor: &Tensor, writable: bool) -> Error {
    let (sizes, strides) = (tensor.sizes(), tensor.strides());
    let found = match (&sizes, &strides) {
        (Ok(sizes), Ok(strides)) => format!("sizes {sizes} and strides {strides}"),
        _ => "one that is not".into(),
    };
    let instead = if writable {
        "take `.view_mut::<T>()?`, which follows strides"
    } else {
        "write `.contiguous()?`, or take `.view::<T>()?`, which follows strides"
    };
    error(tensor, ErrorKind::Value, format!("expected a contiguous tensor, got {found}; {instead}"))
}

#[cold]
pub(super) fn misaligned(tensor: &Tensor, dtype: DType, address: usize, align: usize) -> Error {
    let off = address % align;
    error(
        tensor,
        ErrorKind::Value,
        format!(
            "{dtype} elements must lie at multiples of {align} bytes, these lie {off} beside; copy them: `.deep_clone()?`"
        ),
    )
}

#[cold]
pub(super) fn overlaps(tensor: &Tensor) -> Error {
    error(
        tensor,
        ErrorKind::Value,
        "cannot write to a tensor whose elements share memory, as after `expand`; copy it: `.deep_clone()?`".into(),
    )
}

#[cold]
pub(super) fn too_many(tensor: &Tensor) -> Error {
    error(tensor, ErrorKind::Value, "the tensor has more elements than an index can count".into())
}

#[cold]
pub(super) fn no_bools(tensor: &Tensor) -> Error {
    error(
        tensor,
        ErrorKind::Value,
        "a bool tensor holds a byte that is neither 0 nor 1, which foreign code wrote; make it one with `!= 0`".into(),
    )
}
