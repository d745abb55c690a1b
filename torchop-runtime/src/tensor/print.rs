//! Tensors as text.

use super::Tensor;
use std::fmt;
use torchop_sys::ffi;

/// What it is, not its elements: `Tensor[2, 3] float32 cpu`.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !ffi::tensor_defined(self.handle()) {
            return f.write_str("Tensor(undefined)");
        }
        f.write_str("Tensor")?;
        match self.sizes() {
            Ok(sizes) => write!(f, "{sizes}")?,
            Err(_) => f.write_str("[symbolic]")?,
        }
        if let (Ok(dtype), Ok(device)) = (self.dtype(), self.device()) {
            write!(f, " {dtype} {device}")?;
        }
        Ok(())
    }
}

/// Its elements, as torch prints them in C++. A tensor without data to show is written as by `{:?}`, and so is one that somebody has a
/// writable view of.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Ok(Some(borrower)) = crate::host::borrower(self, false) {
            return write!(f, "{self:?} (borrowed for {borrower})");
        }
        match ffi::tensor_text(self.handle()) {
            Ok(text) => f.write_str(&text.to_string_lossy()),
            Err(_) => fmt::Debug::fmt(self, f),
        }
    }
}
