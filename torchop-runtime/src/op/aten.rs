//! What the generated functions of torch's operators need beside values.

use crate::convert::{Element, One, ResultSlot, Value};
use crate::error::{Error, Result};
use crate::tensor::Tensor;
use torchop_schema::SchemaType;
use torchop_sys::RawValue;

/// A tensor in a list for an operator of torch's: `&[&a, &b]` and `&[a, b]` are both such lists.
#[diagnostic::on_unimplemented(
    message = "a list of tensors cannot hold a `{Self}`",
    label = "not a tensor",
    note = "write `&[&a, &b]`, or `&tensors` of a `Vec<Tensor>`; an empty list is `&[] as &[Tensor]`"
)]
pub trait TensorRef: Element + Clone + sealed::Sealed {}
impl TensorRef for Tensor {}
impl TensorRef for &Tensor {}

/// The functions of `torchop-aten` hand lists to torch without a look at what is in them.
mod sealed {
    use crate::tensor::Tensor;

    pub trait Sealed {}
    impl Sealed for Tensor {}
    impl Sealed for &Tensor {}
}

/// A result that is an argument, which the caller has already.
#[derive(Debug)]
pub struct Same;

#[diagnostic::do_not_recommend]
impl Element for Same {
    const TYPE: SchemaType = SchemaType::Tensor;
    fn put(self, _: ResultSlot<'_>) -> Result<()> {
        Err(Error::runtime("a result that is an argument was given to torch"))
    }
}

#[diagnostic::do_not_recommend]
impl One for Same {
    fn take(_: Value<'_>) -> Option<Self> {
        Some(Same)
    }
    #[inline]
    fn take_out(_: &mut RawValue) -> Option<Self> {
        Some(Same)
    }
}
