//! Tensors given to other libraries and taken from them, without a copy, by DLPack. Users reach it as `torchop::dlpack`, with torchop's
//! feature `dlpack`; the crate [`dlpark`], which it re-exports, has the other side: ndarray, candle, image, cudarc, Python's capsules.
//!
//! ```no_run
//! # fn main() -> torchop_runtime::Result<()> {
//! use torchop_dlpack::{export, import};
//! use torchop_runtime::{DType, Tensor};
//!
//! let x = Tensor::ones(&[2, 3], DType::Float32)?;
//! let dlpack = export(&x)?; // holds the memory until it is dropped
//! // SAFETY: the memory is torch's own, and nobody else has the DLPack tensor.
//! let y = unsafe { import(dlpack)? };
//! assert_eq!(y.data_ptr()?, x.data_ptr()?);
//! # Ok(())
//! # }
//! ```

mod bridge;
mod types;

pub use dlpark;

use bridge::ffi;
use dlpark::metadata::Dynamic;
use dlpark::{AllocationDeleter, DlpackFlags, Managed, ManagedTensorBase, versioned};
use torchop_runtime::{Error, Result, Tensor, TorchOp, host};
use torchop_sys::DropFn;

/// Why a tensor cannot be given away, by the bridge's numbers.
const PROBLEMS: [&str; 5] = [
    "is not strided; write `to_dense` before",
    "has no memory of its own: it is a meta tensor, or torch is tracing",
    "is lazily conjugated or negated; call `aten::resolve_conj` or `aten::resolve_neg` before",
    "requires grad, which DLPack does not carry; call `detach` before",
    "reaches beyond its storage, which somebody made smaller",
];

/// The tensor for another library: the same memory, which lives as long as what is returned, and is not resized meanwhile. Size, strides, dtype and device are kept;
/// the stride of a dimension of size 1 or 0 is 1, as torch has it. What is written to the memory shows on both sides.
///
/// On CUDA the other side has to wait for torch's current stream.
///
/// # Errors
/// `ValueError` for a tensor that requires grad, is sparse, lazily conjugated or negated, or has no memory, or less than its sizes say; `NotImplementedError` for
/// dtypes and devices that DLPack has no name for.
#[track_caller]
pub fn export(tensor: &Tensor) -> Result<versioned::Dlpack> {
    let problem = ffi::dlpack_problem(host::handle(tensor));
    if let Some(what) = usize::from(problem).checked_sub(1).and_then(|index| PROBLEMS.get(index)) {
        return Err(Error::value(format!("the tensor {what}")));
    }
    let (dtype, device) = (types::dtype_to(tensor.dtype()?)?, types::device_to(tensor.device()?)?);
    let held = host::Held::new(host::handle(tensor))?;
    let (sizes, mut strides) = (tensor.sizes()?.to_vec(), tensor.strides()?.to_vec());
    for (size, stride) in sizes.iter().zip(&mut strides) {
        if *size < 2 {
            *stride = 1;
        }
    }
    let data = if sizes.contains(&0) { 0 } else { tensor.data_ptr()? };
    let metadata = Dynamic::new(sizes.as_slice(), strides.as_slice());
    let prepared =
        metadata.prepare().map_err(|error| Error::value(format!("the tensor has no DLPack form: {error}")))?;
    let mut made = prepared.initialize(Box::new((held, tensor.clone())));
    made.set_data(std::ptr::with_exposed_provenance_mut(data)).set_dtype(dtype).set_device(device);
    // SAFETY: the memory is that of the storage that is held, and was looked at just now: it has what sizes and strides reach.
    Ok(unsafe { made.finish() })
}

/// A tensor of the memory that another library gives. It is given back when the last tensor of it is gone. Memory that is marked as
/// read-only is copied, and given back at once.
///
/// # Safety
/// Until it is given back, the memory is what the DLPack tensor says, and nobody else writes to it or, while a tensor is written to, reads it:
/// safe code may write to any tensor. On CUDA, torch's current stream has waited for who wrote it.
///
/// # Errors
/// `ValueError` if the description is not valid, or has a negative stride; `NotImplementedError` for dtypes and devices that torch has no
/// name for. The memory is given back then, too.
#[track_caller]
pub unsafe fn import<M: ManagedTensorBase + 'static>(dlpack: Managed<M>) -> Result<Tensor> {
    let is_read_only = dlpack.flags().contains(DlpackFlags::READ_ONLY);
    let invalid = |error: dlpark::tensor::Error| Error::value(format!("the DLPack tensor is not valid: {error}"));
    let view = dlpack.validate().map_err(invalid)?;
    let (dtype, device) = (types::dtype_from(view.dtype())?, types::device_from(view.device())?);
    let (sizes, strides) = (view.shape().to_vec(), view.strides_or_compact().map_err(invalid)?.into_owned());
    if let Some(stride) = strides.iter().find(|stride| **stride < 0) {
        return Err(Error::value(format!(
            "the DLPack tensor has a stride of {stride}, and torch's are at least 0; copy it before"
        )));
    }
    let data = if sizes.contains(&0) {
        0
    } else {
        // SAFETY: the caller's promise that the memory is there.
        unsafe { view.offset_bytes_ptr() }.map_err(invalid)?.expose_provenance()
    };
    let context = Box::into_raw(Box::new(dlpack.into_deleter())).cast();
    let [kind, index] = [host::device_code(device.kind), device.index.map_or(-1, |index| index as i8)];
    // SAFETY: the caller's promise for the memory; the context goes with its function, which C++ calls once, whatever happens.
    let made =
        unsafe { ffi::dlpack_import(data, &sizes, &strides, dtype.code(), kind, index, context, DropFn(give_back)) };
    /// Tells modes (functionalization, `torch.func`) of a tensor that no operator made.
    static LIFT_FRESH: TorchOp = TorchOp::new("aten::lift_fresh", "");
    let tensor = LIFT_FRESH.call::<Tensor>((&host::tensor(host::or_torch(made)?),))?;
    if is_read_only { tensor.deep_clone() } else { Ok(tensor) }
}

/// # Safety
/// `context` is the box of an [`AllocationDeleter`], given once.
unsafe extern "C" fn give_back(context: *mut u8) {
    // SAFETY: the caller's promise. A deleter of DLPack's does not unwind.
    drop(unsafe { Box::from_raw(context.cast::<AllocationDeleter>()) });
}
