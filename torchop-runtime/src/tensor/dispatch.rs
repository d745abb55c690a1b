//! One body for several element types.

use crate::dtype::DType;
use crate::error::Error;

/// Runs a body with `T` as the Rust type of a dtype (as `AT_DISPATCH_…` does in C++), or says which dtypes there are.
///
/// The body is an expression of type `Result<_>`, or a block; it may use `?`. The value is a `Result`: the `TypeError` for
/// other dtypes names the operator and lists those that it supports.
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, dispatch};
///
/// fn total(x: &Tensor) -> Result<f64> {
///     dispatch!(x.dtype()?, [f32, f64], T => {
///         Ok(x.view::<T>()?.iter().map(|value| f64::from(*value)).sum())
///     })
/// }
/// ```
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, [$($type:ty),+ $(,)?], $name:ident => $body:expr) => {{
        let dtype: $crate::DType = $dtype;
        $(
            if dtype == <$type as $crate::TensorElement>::DTYPE {
                #[allow(dead_code)]
                type $name = $type;
                $body
            } else
        )+ {
            $crate::Result::Err($crate::__private::unsupported_dtype(
                dtype,
                &[$(<$type as $crate::TensorElement>::DTYPE),+],
            ))
        }
    }};
}

/// For [`dispatch!`].
#[cold]
#[track_caller]
pub fn unsupported_dtype(found: DType, supported: &[DType]) -> Error {
    let names: Vec<String> = supported.iter().map(ToString::to_string).collect();
    let list = match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.join(", "),
    };
    // No tensor's address: the message gets the name of the operator.
    Error::type_error(format!("not implemented for {found}; expected {list}")).about(0)
}
