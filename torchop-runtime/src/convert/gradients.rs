//! What a backward can return.

use super::results::{ResultSlot, Results};
use super::returned::Element;
use crate::error::{Error, Result};
use crate::tensor::Tensor;

/// The gradient of one argument: `Tensor`, or `Option<Tensor>` where there may be none; for a list argument,
/// `Vec<Tensor>` or `Vec<Option<Tensor>>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no gradient",
    label = "not a gradient",
    note = "return `Tensor` or `Option<Tensor>` for each tensor among the arguments, several as a tuple"
)]
pub trait Gradient: Sized {
    #[doc(hidden)]
    fn put(self, slot: ResultSlot<'_>) -> Result<()>;
}

/// What a backward returns: one [`Gradient`] or a tuple of them, plain or in a `Result`.
#[diagnostic::on_unimplemented(
    message = "a backward cannot return `{Self}`",
    label = "not a gradient",
    note = "return `Tensor` or `Option<Tensor>` for each tensor among the arguments, several as a tuple, plain or in a `Result`"
)]
pub trait Gradients: Sized {
    /// How many.
    const COUNT: usize;
    #[doc(hidden)]
    fn give(self, results: Results<'_>) -> Result<()>;
}

macro_rules! single {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Gradient for $type {
            fn put(self, slot: ResultSlot<'_>) -> Result<()> {
                Element::put(self, slot)
            }
        }
        #[diagnostic::do_not_recommend]
        impl Gradients for $type {
            const COUNT: usize = 1;
            fn give(self, mut results: Results<'_>) -> Result<()> {
                Element::put(self, results.next()?)
            }
        }
    )*};
}

single!(Tensor Option<Tensor> Vec<Tensor> Vec<Option<Tensor>>);

macro_rules! several {
    ($count:literal: $($type:ident $position:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: Gradient),*> Gradients for ($($type,)*) {
            const COUNT: usize = $count;
            fn give(self, mut results: Results<'_>) -> Result<()> {
                $(self.$position.put(results.next()?)?;)*
                Ok(())
            }
        }
    };
}

several!(2: A 0 B 1);
several!(3: A 0 B 1 C 2);
several!(4: A 0 B 1 C 2 D 3);
several!(5: A 0 B 1 C 2 D 3 E 4);
several!(6: A 0 B 1 C 2 D 3 E 4 F 5);
several!(7: A 0 B 1 C 2 D 3 E 4 F 5 G 6);
several!(8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);

#[diagnostic::do_not_recommend]
impl<G: Gradients, E: Into<Error>> Gradients for std::result::Result<G, E> {
    const COUNT: usize = G::COUNT;
    fn give(self, results: Results<'_>) -> Result<()> {
        match self {
            Ok(gradients) => gradients.give(results),
            Err(error) => Err(error.into()),
        }
    }
}
