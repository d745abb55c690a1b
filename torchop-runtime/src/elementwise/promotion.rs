//! Which type several tensors have in common.

use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::TorchOp;
use crate::tensor::Tensor;

static PROMOTE: TorchOp = TorchOp::new("aten::promote_types", "");
static RESULT_TYPE: TorchOp = TorchOp::new("aten::result_type", "Tensor");
static CAN_CAST: TorchOp = TorchOp::new("aten::can_cast", "");

/// The dtype that torch's operators would compute in (`torch.result_type`, for any number of tensors): tensors without
/// dimensions have a say only where they are of a higher kind.
///
/// # Errors
/// `ValueError` without tensors; what torch raises for dtypes that do not go together.
#[track_caller]
pub fn result_type(tensors: &[&Tensor]) -> Result<DType> {
    let (mut with_dims, mut without) = (None, None);
    for tensor in tensors {
        let group = if tensor.dim()? == 0 { &mut without } else { &mut with_dims };
        let dtype = tensor.dtype()?;
        *group = match *group {
            None => Some(dtype),
            Some(before) if before == dtype => Some(before),
            Some(before) => Some(PROMOTE.call::<DType>((before, dtype))?),
        };
    }
    match (with_dims, without) {
        (Some(dtype), None) | (None, Some(dtype)) => Ok(dtype),
        (Some(a), Some(b)) if a == b => Ok(a),
        (Some(a), Some(b)) => {
            let a = Tensor::empty(&[1], (a, Device::META))?;
            RESULT_TYPE.call::<DType>((&a, &Tensor::empty(&[], (b, Device::META))?))
        }
        (None, None) => Err(Error::value("no tensors, no common dtype")),
    }
}

/// The tensor, converted if need be and if torch lets it.
#[track_caller]
pub(super) fn converted(tensor: &Tensor, to: DType) -> Result<Tensor> {
    let from = tensor.dtype()?;
    if from == to {
        return Ok(tensor.clone());
    }
    if CAN_CAST.call::<bool>((from, to))? {
        return tensor.to_dtype(to);
    }
    Err(Error::type_error(format!("expected {to} elements, or ones that convert to it, got {from}"))
        .about(tensor.bits()))
}
