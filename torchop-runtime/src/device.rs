//! Where a tensor's memory is.

use std::fmt;

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
