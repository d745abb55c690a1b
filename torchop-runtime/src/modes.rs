//! Gradients on and off, for a thread; seed and default dtype, for the process.

use crate::dtype::DType;
use crate::error::{Error, OrTorch, Result};
use cxx::UniquePtr;
use std::cell::RefCell;
use std::marker::PhantomData;
use torchop_sys::ffi;

/// What a guard found, to be put back.
enum Before {
    Grad(bool),
    Inference { _mode: UniquePtr<ffi::InferenceMode> },
}

impl Before {
    fn put_back(self) {
        match self {
            Before::Grad(on) => ffi::grad_enable(on),
            Before::Inference { _mode } => drop(_mode),
        }
    }
}

/// The guards of a thread in the order in which they began. What one found is put back when it and all later ones have ended.
struct Guards {
    last: u64,
    begun: Vec<(u64, Before, bool)>,
}

thread_local! {
    static GUARDS: RefCell<Guards> = const { RefCell::new(Guards { last: 0, begun: Vec::new() }) };
}

/// Until it is dropped, a mode of this thread is another: see [`no_grad`], [`enable_grad`], [`inference_mode`].
///
/// Guards may be dropped in any order: the mode that one found comes back when it and those that began after it are gone. A
/// guard that is forgotten leaves its mode on.
#[derive(Debug)]
#[must_use = "the mode ends when the guard is dropped: `let _guard = …`"]
pub struct ModeGuard {
    number: u64,
    of_this_thread: PhantomData<*const ()>,
}

impl ModeGuard {
    fn begin(before: Before) -> Self {
        let number = GUARDS.with_borrow_mut(|guards| {
            guards.last += 1;
            guards.begun.push((guards.last, before, false));
            guards.last
        });
        ModeGuard { number, of_this_thread: PhantomData }
    }
}

impl Drop for ModeGuard {
    fn drop(&mut self) {
        // A thread that is ending has no modes to put back.
        let _ = GUARDS.try_with(|guards| {
            let mut guards = guards.borrow_mut();
            for guard in guards.begun.iter_mut().filter(|guard| guard.0 == self.number) {
                guard.2 = true;
            }
            while guards.begun.last().is_some_and(|guard| guard.2) {
                if let Some((_, before, _)) = guards.begun.pop() {
                    before.put_back();
                }
            }
        });
    }
}

fn grad(on: bool) -> ModeGuard {
    let before = ffi::grad_enabled();
    ffi::grad_enable(on);
    ModeGuard::begin(Before::Grad(before))
}

/// `torch.no_grad`: what this thread calculates is not recorded for gradients, until the guard is dropped.
///
/// ```no_run
/// # use torchop_runtime::{Result, Tensor, no_grad};
/// fn step(weight: &mut Tensor, update: &Tensor) -> Result<()> {
///     let _guard = no_grad();
///     weight.copy_(&weight.add(update)?)
/// }
/// ```
pub fn no_grad() -> ModeGuard {
    grad(false)
}

/// `torch.enable_grad`: it is recorded, until the guard is dropped.
pub fn enable_grad() -> ModeGuard {
    grad(true)
}

/// `torch.inference_mode`: nothing is recorded, and the tensors that are made never take part in gradients, until the guard is
/// dropped.
///
/// # Errors
/// What torch raises.
pub fn inference_mode() -> Result<ModeGuard> {
    ffi::inference_mode(true).or_torch().map(|mode| ModeGuard::begin(Before::Inference { _mode: mode }))
}

/// `torch.is_grad_enabled`, of this thread.
pub fn is_grad_enabled() -> bool {
    ffi::grad_enabled()
}

/// `torch.is_inference_mode_enabled`, of this thread.
pub fn is_inference_mode_enabled() -> bool {
    ffi::inference_enabled()
}

/// `torch.manual_seed`: sets torch's own generators, on all devices.
///
/// # Errors
/// What torch raises.
pub fn manual_seed(seed: u64) -> Result<()> {
    ffi::manual_seed(seed).or_torch()
}

/// `torch.get_default_dtype`: what new floating-point tensors are where no dtype is said.
pub fn default_dtype() -> DType {
    DType::from_code(ffi::default_dtype())
}

/// `torch.set_default_dtype`, for the process. Torch keeps it without a lock: set it before there are other threads.
///
/// # Errors
/// `TypeError` if it is another than `float16`, `bfloat16`, `float32` and `float64`.
pub fn set_default_dtype(dtype: DType) -> Result<()> {
    if !matches!(dtype, DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64) {
        return Err(Error::type_error(format!(
            "expected `float16`, `bfloat16`, `float32` or `float64` as the default dtype, got `{dtype}`"
        )));
    }
    ffi::set_default_dtype(dtype.code()).or_torch()
}
