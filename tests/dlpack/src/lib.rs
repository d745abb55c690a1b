//! Tensors by DLPack. Python wraps the addresses in capsules.

use torchop::dlpack::dlpark::{ffi, legacy, versioned};
use torchop::dlpack::{export, import};
use torchop::prelude::*;

/// The address of a `DLManagedTensorVersioned`, which is the caller's.
#[torch_op(schema = "test_dlpack::give(Tensor x) -> int", composite_explicit)]
fn give(x: &Tensor) -> Result<i64> {
    Ok(export(x)?.into_raw().expose_provenance() as i64)
}

/// The same of `x.conj()`, which is computed when somebody needs it. Torch computes it before it calls an operator.
#[torch_op(schema = "test_dlpack::give_conjugate(Tensor x) -> int", composite_explicit)]
fn give_conjugate(x: &Tensor) -> Result<i64> {
    static CONJ: TorchOp = TorchOp::new("aten::conj", "");
    give::kernel(&CONJ.call::<Tensor>((x,))?)
}

/// A tensor of such an address, or, without a version, of that of a `DLManagedTensor`.
#[torch_op(schema = "test_dlpack::take(int address, bool versioned) -> Tensor", composite_explicit)]
fn take(address: i64, versioned: bool) -> Result<Tensor> {
    let address = address as usize;
    // SAFETY: the tests pass addresses of capsules that are theirs to give, of memory that they leave alone.
    unsafe {
        if versioned {
            let raw = std::ptr::with_exposed_provenance_mut::<ffi::DLManagedTensorVersioned>(address);
            import(versioned::Dlpack::from_raw(raw).map_err(|error| Error::value(error.to_string()))?)
        } else {
            let raw = std::ptr::with_exposed_provenance_mut::<ffi::DLManagedTensor>(address);
            import(legacy::Dlpack::from_raw(raw).map_err(|error| Error::value(error.to_string()))?)
        }
    }
}

/// There and back, without Python.
#[torch_op(schema = "test_dlpack::round_trip(Tensor x) -> Tensor", composite_explicit)]
fn round_trip(x: &Tensor) -> Result<Tensor> {
    // SAFETY: torch's own memory, and nobody else has the DLPack tensor.
    let same = unsafe { import(export(x)?)? };
    if same.data_ptr()? != x.data_ptr()? {
        return Err(Error::runtime("the memory was copied"));
    }
    same.deep_clone()
}

/// Whether a tensor that was given away can be resized, before and after it was given back.
#[torch_op(schema = "test_dlpack::resized_while_given(Tensor x, bool viewed) -> (bool, bool)", composite_explicit)]
fn resized_while_given(x: &Tensor, viewed: bool) -> Result<(bool, bool)> {
    static RESIZE: TorchOp = TorchOp::new("aten::resize_", "");
    let resize = |size: i64| RESIZE.call::<Tensor>((&mut x.clone(), &[size][..], None::<i64>)).is_ok();
    // A view that ends first does not take the memory's hold with it.
    let view = viewed.then(|| x.view::<f32>()).transpose()?;
    let given = export(x)?;
    drop(view);
    drop(x.view::<f32>()?);
    let meanwhile = resize(x.numel()? + 1000);
    drop(given);
    Ok((meanwhile, resize(x.numel()? + 1000)))
}
