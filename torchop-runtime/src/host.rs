//! What `torchop-aoti` and `torchop-dlpack` stand on, beside the public interface. No promise of stability.

pub use crate::borrow::Held;
pub use crate::class::Class;
pub use crate::load::collect as collect_load_reports;

use crate::borrow::any_live;
use crate::class::TorchRef;
use crate::convert::{Argument, OwnedValues};
use crate::device::{Device, DeviceType};
use crate::error::{Error, OrTorch, Result};
use crate::tensor::{Tensor, clash};
use std::panic::Location;
use torchop_sys::{RawValue, TensorHandle};

/// The handle of a tensor.
#[inline]
pub fn handle(tensor: &Tensor) -> &TensorHandle {
    tensor.handle()
}

/// The tensor of a handle.
pub fn tensor(handle: TensorHandle) -> Tensor {
    Tensor::from_owned_handle(handle)
}

/// The result of a bridge function, with the exception that it ended with.
#[inline]
#[track_caller]
pub fn or_torch<T>(result: std::result::Result<T, cxx::Exception>) -> Result<T> {
    result.or_torch()
}

/// The object that `fill` writes, if it is one of class `T`.
pub fn object<T: Class>(fill: impl FnOnce(*mut RawValue) -> Result<()>) -> Result<Option<TorchRef<T>>> {
    let mut value = OwnedValues::none(1);
    fill(value.as_mut_ptr())?;
    Ok(TorchRef::read(value.arguments().at(0)).ok())
}

/// Puts text before an error's message.
pub fn with_prefix(error: Error, prefix: &str) -> Error {
    error.with_prefix(prefix)
}

/// A kind of device by torch's number.
pub fn device_code(kind: DeviceType) -> i8 {
    Device { kind, index: None }.codes()[0]
}

/// Who stands in the way of code that reads a tensor's memory, or also `writes` to it.
#[inline]
#[track_caller]
pub fn borrower(tensor: &Tensor, writes: bool) -> Result<Option<String>> {
    if any_live()? { Ok(find_borrower(tensor.handle(), writes, Location::caller())) } else { Ok(None) }
}

#[cold]
fn find_borrower(tensor: &TensorHandle, writes: bool, place: &'static Location<'static>) -> Option<String> {
    clash(tensor, writes, place).map(|clash| clash.held().to_string())
}
