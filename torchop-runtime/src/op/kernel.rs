//! How torch calls Rust: one function for every kernel, fake, backward and method.

use super::panics::{caught, raised};
use crate::convert::{Arguments, Results, Scratch};
use crate::error::Error;
use crate::registration::Kernel;
use crate::tensor::Tensor;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use torchop_sys::{KernelFn, RawValue, ffi};

/// What the bridge hands back at every call. Made at load, lives for ever.
#[derive(Debug)]
pub(crate) struct KernelContext {
    pub(crate) call: Kernel,
    /// `ns::op`, `ns::Class.method`; for a role that is not the kernel with the role behind it.
    pub(crate) name: &'static str,
    /// The names of the arguments, for messages.
    pub(crate) arguments: Cow<'static, [&'static str]>,
    /// How many of the first arguments the caller does not see: `self`.
    pub(crate) hidden: usize,
}

impl KernelContext {
    /// The pointer that goes with [`KernelContext::FUNCTION`].
    pub(crate) fn leak(self) -> *const u8 {
        std::ptr::from_ref(Box::leak(Box::new(self))).cast()
    }

    /// The function to hand to the bridge, with a leaked context.
    pub(crate) const FUNCTION: KernelFn = KernelFn(run);

    #[cold]
    fn failed(&self, error: Error, arguments: Arguments<'_>) -> *mut ffi::Failure {
        let tensor = error.tensor();
        let bits = |index| arguments.at(index).tensor().map(|handle| Tensor::from_handle(handle).bits());
        let of_tensor = || (0..arguments.len()).find(|index| tensor.is_some() && bits(*index) == tensor);
        let Some(position) = error.argument().map(usize::from).or_else(of_tensor) else {
            if tensor.is_none() && !error.is_of_op() {
                return error.into_failure();
            }
            return error.with_prefix(&format!("{}: ", self.name)).into_failure();
        };
        let visible = position.saturating_sub(self.hidden);
        let prefix = match self.arguments.get(position) {
            Some(argument) => format!("{}: argument '{argument}' (position {visible}): ", self.name),
            None => format!("{}: argument at position {visible}: ", self.name),
        };
        error.with_prefix(&prefix).into_failure()
    }

    #[cold]
    fn panicked(&self, payload: Box<dyn std::any::Any + Send>) -> *mut ffi::Failure {
        Error::runtime(format!("{} {}", self.name, caught(payload))).into_failure()
    }
}

/// # Safety
/// The bridge calls it with a leaked [`KernelContext`], live arguments, and results that hold `None`.
unsafe extern "C" fn run(
    context: *const u8,
    arguments: *const RawValue,
    argument_count: usize,
    results: *mut RawValue,
    result_count: usize,
) -> *mut ffi::Failure {
    // SAFETY: every context that the bridge has comes from `KernelContext::leak`.
    let context = unsafe { &*context.cast::<KernelContext>() };
    let values = arguments;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let scratch = Scratch::new();
        // SAFETY: the bridge promises it: values on torch's stack, which nobody touches while the kernel runs.
        let arguments = unsafe { Arguments::from_raw(values, argument_count, &scratch) };
        // SAFETY: as above.
        let results = unsafe { Results::from_raw(results, result_count) };
        (context.call)(arguments, results)
    }));
    match outcome {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(error)) => {
            let scratch = Scratch::new();
            // SAFETY: as above; the function that could write to them has returned.
            context.failed(error, unsafe { Arguments::from_raw(values, argument_count, &scratch) })
        }
        Err(payload) => match raised(&*payload) {
            Some(error) => {
                caught(payload);
                let scratch = Scratch::new();
                // SAFETY: as above.
                context.failed(error, unsafe { Arguments::from_raw(values, argument_count, &scratch) })
            }
            None => context.panicked(payload),
        },
    }
}
