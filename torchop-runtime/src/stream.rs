//! Streams of devices.

use crate::device::Device;

/// A stream of a device, by its identity (`torch.Stream`). Holds nothing: torch keeps its streams for ever.
///
/// As an argument of an operator it is as good as the caller's word: torch takes any Python object for a stream and reads the
/// numbers from that object's memory, before torchop sees them. What names a device that is not there is a `TypeError`; what
/// happens to look like a stream arrives as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The number that the device's backend knows it by.
    pub id: i64,
    /// The device.
    pub device: Device,
}

impl Stream {
    pub(crate) fn from_parts([id, kind, index]: [i64; 3]) -> Self {
        // Kind and index are single bytes in torch.
        Stream { id, device: Device::from_codes(kind as i8, index as i8) }
    }
}
