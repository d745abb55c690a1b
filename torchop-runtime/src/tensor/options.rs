//! What a new tensor is to be.

use crate::device::Device;
use crate::dtype::DType;
use crate::layout::Layout;

/// What a new tensor is to be; what is not said is torch's default, or, for like-forms, as the other tensor has it.
///
/// A dtype or a device alone will do where options are asked for, and `()` where all is to be as it is.
///
/// ```no_run
/// use torchop_runtime::{DType, Device, Options, Result, Tensor};
///
/// fn table() -> Result<Tensor> {
///     Tensor::zeros(&[2, 3], Options::new().dtype(DType::Int64).device(Device::CPU))
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Options {
    pub(super) dtype: Option<DType>,
    pub(super) layout: Option<Layout>,
    pub(super) device: Option<Device>,
    pub(super) pinned: Option<bool>,
}

impl Options {
    /// Torch's defaults.
    pub const fn new() -> Self {
        Options { dtype: None, layout: None, device: None, pinned: None }
    }

    /// In the order in which operators take them.
    #[doc(hidden)]
    #[inline]
    pub const fn parts(self) -> (Option<DType>, Option<Layout>, Option<Device>, Option<bool>) {
        (self.dtype, self.layout, self.device, self.pinned)
    }

    /// The element type.
    pub const fn dtype(self, dtype: DType) -> Self {
        Options { dtype: Some(dtype), ..self }
    }

    /// How the elements are kept.
    pub const fn layout(self, layout: Layout) -> Self {
        Options { layout: Some(layout), ..self }
    }

    /// Where the memory is.
    pub const fn device(self, device: Device) -> Self {
        Options { device: Some(device), ..self }
    }

    /// Whether the memory is page-locked, for fast copies to a GPU.
    pub const fn pinned(self, pinned: bool) -> Self {
        Options { pinned: Some(pinned), ..self }
    }
}

impl From<()> for Options {
    fn from((): ()) -> Self {
        Options::new()
    }
}

impl From<DType> for Options {
    fn from(dtype: DType) -> Self {
        Options::new().dtype(dtype)
    }
}

impl From<Device> for Options {
    fn from(device: Device) -> Self {
        Options::new().device(device)
    }
}

impl From<(DType, Device)> for Options {
    fn from((dtype, device): (DType, Device)) -> Self {
        Options::new().dtype(dtype).device(device)
    }
}
