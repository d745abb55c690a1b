//! Where a tensor's memory is.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The kind of a [`Device`] (`c10::DeviceType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceType {
    /// Main memory.
    Cpu,
    /// An NVIDIA GPU (or a ROCm GPU, which torch calls `cuda` too).
    Cuda,
    /// No memory: sizes and strides only.
    Meta,
    /// Any other, by torch's number.
    Other(i8),
}

impl DeviceType {
    #[inline]
    pub(crate) fn from_code(code: i8) -> Self {
        match code {
            0 => DeviceType::Cpu,
            1 => DeviceType::Cuda,
            14 => DeviceType::Meta,
            code => DeviceType::Other(code),
        }
    }

    fn code(self) -> i8 {
        match self {
            DeviceType::Cpu => 0,
            DeviceType::Cuda => 1,
            DeviceType::Meta => 14,
            DeviceType::Other(code) => code,
        }
    }
}

/// A device, as `tensor.device` in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Its kind.
    pub kind: DeviceType,
    /// Which one of its kind; `None` where there is just one, or where the current one is meant.
    pub index: Option<u8>,
}

impl Device {
    /// Main memory.
    pub const CPU: Device = Device { kind: DeviceType::Cpu, index: None };

    /// No memory: sizes and strides only.
    pub const META: Device = Device { kind: DeviceType::Meta, index: None };

    /// The NVIDIA GPU (or ROCm GPU) of this number.
    pub const fn cuda(index: u8) -> Device {
        Device { kind: DeviceType::Cuda, index: Some(index) }
    }

    #[inline]
    pub(crate) fn from_codes(kind: i8, index: i8) -> Self {
        Device { kind: DeviceType::from_code(kind), index: u8::try_from(index).ok() }
    }

    /// As torch has them: -1 is no index.
    pub(crate) fn codes(self) -> [i8; 2] {
        [self.kind.code(), self.index.and_then(|index| i8::try_from(index).ok()).unwrap_or(-1)]
    }
}

/// As torch writes it: `cpu`, `cuda:0`, `meta`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match torchop_sys::ffi::device_name(self.kind.code()) {
            Ok(name) => f.write_str(&name.to_string_lossy())?,
            Err(_) => write!(f, "device kind {}", self.kind.code())?,
        }
        match self.index {
            Some(index) => write!(f, ":{index}"),
            None => Ok(()),
        }
    }
}

/// As torch writes it: `cpu`, `cuda`, `cuda:1`, `meta`.
impl FromStr for Device {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, index) = match text.split_once(':') {
            Some((kind, index)) => (kind, Some(index)),
            None => (text, None),
        };
        let kind = match kind {
            "cpu" => Some(DeviceType::Cpu),
            "cuda" => Some(DeviceType::Cuda),
            "meta" => Some(DeviceType::Meta),
            _ => None,
        };
        // As torch: digits, and no zero before others.
        let index = index.map(|index| index.parse::<u8>().ok().filter(|n| *n < 128 && n.to_string() == index));
        match (kind, index) {
            (Some(kind), None) => Ok(Device { kind, index: None }),
            (Some(kind), Some(Some(index))) => Ok(Device { kind, index: Some(index) }),
            _ => Err(Error::value(format!("there is no device `{text}`; expected one as `cpu`, `cuda:0` or `meta`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_as_torch_writes_them() {
        let read = |text: &str| text.parse::<Device>().ok();
        assert_eq!((read("cpu"), read("meta")), (Some(Device::CPU), Some(Device::META)));
        assert_eq!(read("cuda"), Some(Device { kind: DeviceType::Cuda, index: None }));
        assert_eq!((read("cuda:0"), read("cuda:127")), (Some(Device::cuda(0)), Some(Device::cuda(127))));
        for wrong in
            ["", "gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:01", "cuda:128", "cuda:1000", "cuda:1:2", "CPU", " cpu"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
