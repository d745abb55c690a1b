//! One function over all elements of several tensors.

mod functions;
mod geometry;
mod kernel;
mod promotion;

pub use functions::{ElementFn, ElementTypes};
pub use promotion::result_type;

use crate::error::{Error, Result};
use crate::op::TorchOp;
use crate::parallel::parallel_for;
use crate::tensor::{Elements, Tensor, TensorElement};
use geometry::{Geometry, broadcast};
use std::panic::Location;

/// How many elements are worth a thread, as in torch (`at::internal::GRAIN_SIZE`).
const GRAIN: usize = 32_768;

/// A new tensor of `function(a, b, …)` for all elements of the inputs, which are broadcast: torch's own element-wise operators,
/// with a function of yours. Runs on torch's threads; any strides will do, dense memory is fastest. Strides of the result are
/// as torch's would be.
///
/// The function says which types it takes: up to six arguments, each a [`TensorElement`], or one array of them, for any number of
/// inputs (`|values: [f32; 9]| …`). An input of another dtype is converted first, if torch lets it (`torch.can_cast`). For a function
/// of the type that torch would promote to:
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, dispatch, elementwise, result_type};
///
/// fn axpy(x: &Tensor, y: &Tensor) -> Result<Tensor> {
///     dispatch!(result_type(&[x, y])?, [f32, f64], T => elementwise([x, y], |x: T, y: T| x * 2.0 + y))
/// }
/// ```
///
/// # Errors
/// `RuntimeError` if sizes do not go together; `TypeError` if an input cannot be converted; what [`Tensor::view`] says of an input. A
/// panic of the function is an error. Another number of inputs than arguments does not compile.
#[track_caller]
pub fn elementwise<E: ElementTypes, F: ElementFn<E>, const N: usize>(
    inputs: [&Tensor; N],
    function: F,
) -> Result<Tensor> {
    let place = Location::caller();
    const { assert!(N == E::COUNT, "as many inputs as the function has arguments") };
    let mut converted = Vec::with_capacity(N);
    for (input, dtype) in inputs.iter().zip(E::DTYPES) {
        converted.push(promotion::converted(input, *dtype)?);
    }
    let leases = converted.iter().enumerate().map(|(n, tensor)| E::borrow(n, tensor, place));
    let leases = leases.collect::<Result<Vec<Elements>>>()?;
    let sizes = broadcast(&leases).map_err(|message| Error::runtime(message).at(place))?;
    let geometry = Geometry::new(&sizes, &leases, E::ITEM_SIZES);

    static EMPTY: TorchOp = TorchOp::new("aten::empty_strided", "");
    let none = None::<i64>;
    let result = EMPTY.call::<Tensor>((
        &sizes[..],
        &geometry.result_strides()[..],
        <F::Output as TensorElement>::DTYPE,
        none,
        crate::Device::CPU,
        none,
    ))?;
    let written = Elements::overwrite::<F::Output>(&result, place)?;
    if written.sizes() != &sizes[..] {
        // Outside of a kernel, a mode of Python may answer for torch.
        let found = written.sizes().to_vec();
        return Err(Error::runtime(format!(
            "`aten::empty_strided` gave sizes {found:?} where {sizes:?} were asked for"
        ))
        .at(place));
    }
    let walk = geometry.with_result::<F::Output>(&written, &leases);
    parallel_for(walk.count(), GRAIN, |part| {
        // SAFETY: all addresses come from the leases, which live until the loop is done; parts do not overlap, and neither do
        // the elements of the result.
        unsafe { kernel::run::<E, F>(&walk, part, &function) };
        Ok(())
    })?;
    drop(written);
    Ok(result)
}
