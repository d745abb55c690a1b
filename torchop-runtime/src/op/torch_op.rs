//! Operators by their names.

use super::call::OpHandle;
use crate::convert::{PutAll, Returned};
use crate::error::Result;
use std::panic::Location;

/// Any operator that is registered with torch, by its name: torch's own, or one of another library.
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, TorchOp};
///
/// static MATMUL: TorchOp = TorchOp::new("aten::matmul", "");
///
/// fn project(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
///     MATMUL.call::<Tensor>((x, weight))
/// }
/// ```
///
/// The call goes through the dispatcher: gradients, fakes, modes and devices work. Arguments are given in the schema's order,
/// keyword-only ones too; those at the end that are left out have their defaults. An optional one that is left out in between is
/// `None::<i64>`, or an `Option` of its type.
///
/// Operators are trusted to check what they are given, as torch's own do: see [`TorchOp::private`].
#[derive(Debug)]
pub struct TorchOp {
    name: &'static str,
    overload: &'static str,
    handle: OpHandle,
}

impl TorchOp {
    /// The operator `ns::name`, with the part after the dot or an empty string. It is looked up at the first call.
    ///
    /// # Panics
    /// If it is one of torch's that trust their arguments: see [`TorchOp::private`]. In a `static`, that is an error when the
    /// crate is compiled.
    #[track_caller]
    pub const fn new(name: &'static str, overload: &'static str) -> Self {
        assert!(
            !torchop_schema::is_private(name, overload),
            "operators of torch that trust their arguments (`_…`, `…_backward`, some others) may reach memory that is not theirs; use one that checks them, or `TorchOp::private`"
        );
        TorchOp { name, overload, handle: OpHandle::new() }
    }

    /// Any operator, also one of torch's that trust their arguments: those for torch's own use, `aten::_name`; gradients,
    /// `aten::name_backward`; all of `inductor`; and `ctc_loss`, `segment_reduce`, `from_file`, `backward` and the constructors of sparse
    /// tensors.
    ///
    /// # Safety
    /// The operator checks the arguments that it is called with, or they are such that it need not: torch calls many of these
    /// after it has checked sizes, indices and dtypes, and what they do otherwise is to read and write memory that is not theirs.
    /// `aten::_reshape_alias` gives a tensor any sizes, `aten::max_pool2d_with_indices_backward` writes to any place.
    pub const unsafe fn private(name: &'static str, overload: &'static str) -> Self {
        TorchOp { name, overload, handle: OpHandle::new() }
    }

    /// From `ns::name` or `ns::name.overload`.
    ///
    /// # Panics
    /// As [`TorchOp::new`]; and if the text is no name of an operator.
    #[track_caller]
    pub const fn named(name: &'static str) -> Self {
        let bytes = name.as_bytes();
        let (mut at, mut colons) = (0, false);
        while at < bytes.len() {
            match bytes[at] {
                b':' => colons = true,
                b'.' if colons => {
                    let (name, rest) = name.split_at(at);
                    return TorchOp::new(name, rest.split_at(1).1);
                }
                _ => {}
            }
            at += 1;
        }
        assert!(colons, "an operator's name is `ns::name` or `ns::name.overload`");
        TorchOp::new(name, "")
    }

    /// Calls it. `R` is what it returns: one value, a tuple of values, or `()`.
    ///
    /// # Errors
    /// What torch raises; `TypeError` if the number of arguments or results, or the type of one, is not the schema's.
    #[track_caller]
    pub fn call<R: Returned>(&self, arguments: impl PutAll) -> R::Called {
        self.call_with::<R>(arguments, true)
    }

    /// The same, where the result's type says what is returned.
    #[doc(hidden)]
    #[track_caller]
    pub fn call_as<R: Returned<Called = Result<R>>>(&self, arguments: impl PutAll) -> Result<R> {
        self.call_with::<R>(arguments, true)
    }

    /// The same, where arguments and results are the schema's.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    pub fn call_known<R: Returned<Called = Result<R>>>(&self, arguments: impl PutAll) -> Result<R> {
        let caller = Location::caller();
        let op = self.handle.get(self.name, self.overload).map_err(|error| error.at(caller))?;
        // The values are made before the closure, which then has their address alone: no move of all arguments.
        arguments
            .lend(|values| R::taken(|results| op.call(self.name, values, results, false, caller)))
            .map_err(|error| error.at(caller))
    }

    #[inline(always)]
    #[track_caller]
    fn call_with<R: Returned>(&self, arguments: impl PutAll, checked: bool) -> R::Called {
        let caller = Location::caller();
        R::taken(|results| {
            let op = self.handle.get(self.name, self.overload).map_err(|error| error.at(caller))?;
            arguments
                .lend(|values| op.call(self.name, values, results, checked, caller))
                .map_err(|error| error.at(caller))
        })
    }
}

/// Calls any operator by its name: `call!("ns::name.overload", arguments…)`, through the dispatcher.
///
/// ```no_run
/// use torchop_runtime::{Result, Tensor, call};
///
/// fn probabilities(x: &Tensor) -> Result<Tensor> {
///     call!("aten::softmax.int", x, -1_i64)
/// }
///
/// fn largest(x: &Tensor) -> Result<(Tensor, Tensor)> {
///     let (values, indices) = call!("aten::max.dim", x, 0_i64, false => (Tensor, Tensor))?;
///     Ok((values, indices))
/// }
/// ```
///
/// The operator is looked up at the first call. What it returns is said by what the result is used as, or after `=>`. Arguments are
/// given in the schema's order; those at the end may be left out if they have defaults. A written argument, `Tensor(a!)`, is `&mut Tensor`.
/// The rest is as for [`TorchOp`].
///
/// # Errors
/// What torch raises; `TypeError` if an argument or result is not of the schema's type, which names it.
#[macro_export]
macro_rules! call {
    ($name:literal $(, $argument:expr)* $(,)?) => {{
        static OP: $crate::TorchOp = $crate::TorchOp::named($name);
        OP.call_as(($($argument,)*))
    }};
    ($name:literal $(, $argument:expr)* => $result:ty) => {{
        static OP: $crate::TorchOp = $crate::TorchOp::named($name);
        OP.call_as::<$result>(($($argument,)*))
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_the_dot_behind_the_colons() {
        for (text, name, overload) in
            [("ns::f", "ns::f", ""), ("ns::f.o", "ns::f", "o"), ("ns::f.a_b", "ns::f", "a_b"), ("n::f.", "n::f", "")]
        {
            let op = TorchOp::named(text);
            assert_eq!((op.name, op.overload), (name, overload));
        }
        assert!(std::panic::catch_unwind(|| TorchOp::named("relu")).is_err());
    }
}
