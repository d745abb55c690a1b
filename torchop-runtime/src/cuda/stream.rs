//! Torch's current device and current stream.

use crate::device::{Device, DeviceType};
use crate::error::{Error, OrTorch as _, Result};
use crate::stream::Stream;
use std::ffi::c_void;
use torchop_sys::ffi;

/// Torch's number for CUDA.
pub(super) const CUDA: i8 = 1;

/// While it lives, a device is the thread's current one; then the one before is again, also after a panic.
pub(super) struct DeviceGuard(i8);

impl DeviceGuard {
    pub(super) fn new(index: i8) -> Result<Self> {
        ffi::device_exchange(CUDA, index).or_torch().map(DeviceGuard)
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        ffi::device_set_back(CUDA, self.0);
    }
}

/// The handle of torch's current stream of that card, and the thread's current card.
#[inline]
pub(super) fn current(index: i8) -> Result<(u64, i8)> {
    let mut device = -1;
    let stream = ffi::device_stream(CUDA, index, &mut device).or_torch()?;
    Ok((stream, device))
}

/// The handle (`CUstream`, `cudaStream_t`) of torch's current stream of a CUDA device, for calls into CUDA libraries. Null is
/// the default stream.
///
/// # Errors
/// `ValueError` if it is no CUDA device; what torch says if it has no support for CUDA.
pub fn current_stream(device: Device) -> Result<*mut c_void> {
    let index = index_of(device)?;
    Ok(current(index)?.0 as *mut c_void)
}

/// Runs `work` with `stream` as torch's current one of its device, which is the current device meanwhile: what it launches and
/// allocates belongs to that stream. Afterwards, also after an error or panic, the streams are as before.
///
/// As in Python, nothing waits by itself: order the streams by events, and call [`record_stream`] on what another stream uses.
///
/// # Errors
/// `ValueError` if it is no stream of a CUDA device; what `work` returns.
pub fn on_stream<T>(stream: Stream, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let index = index_of(stream.device)?;
    let _device = DeviceGuard::new(index)?;
    let _stream = StreamGuard::new(stream)?;
    work()
}

struct StreamGuard([i64; 3]);

impl StreamGuard {
    fn new(stream: Stream) -> Result<Self> {
        let [kind, index] = stream.device.codes();
        let mut before = [0; 3];
        ffi::stream_exchange(stream.id, kind, index, &mut before).or_torch()?;
        Ok(StreamGuard(before))
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        let [id, kind, index] = self.0;
        // It was the current stream a moment ago: torch takes it back.
        let _ = ffi::stream_exchange(id, kind as i8, index as i8, &mut [0; 3]);
    }
}

/// `Tensor.record_stream`: its memory is not used again before what `stream` has to do by now is done.
///
/// # Errors
/// What torch raises.
pub fn record_stream(tensor: &crate::Tensor, stream: Stream) -> Result<()> {
    static OP: crate::TorchOp = crate::TorchOp::new("aten::record_stream", "");
    OP.call::<()>((tensor, stream))
}

fn index_of(device: Device) -> Result<i8> {
    match (device.kind, device.codes()) {
        (DeviceType::Cuda, [_, index]) => Ok(index),
        _ => Err(Error::value(format!("expected a CUDA device, got {device}"))),
    }
}
