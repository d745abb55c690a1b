//! Kernels, and their launches.

use super::definition::KernelDef;
use super::driver;
use super::grid::Grid;
use super::instance::Instance;
use super::parameter::{Packed, Parameters};
use super::stream::{self, DeviceGuard};
use crate::error::{Error, Result};
use cudarc::driver::sys;
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A kernel that [`cuda_kernels!`](crate::cuda_kernels) declared, with parameters `P` and `N` values to choose.
///
/// The first launch on a card with a choice of values makes it ready: compiles it with NVRTC, unless it is on disk, and loads
/// it. Later launches find it without a lock.
pub struct Kernel<P, const N: usize = 0> {
    def: &'static KernelDef,
    ready: Ready<N>,
    /// One thread at a time compiles.
    compiling: Mutex<()>,
    parameters: PhantomData<fn(P)>,
}

/// The instances, the first made first. Only ever grows.
struct Ready<const N: usize>(OnceLock<Box<Entry<N>>>);

struct Entry<const N: usize> {
    device: i8,
    chosen: [u8; N],
    instance: Instance,
    next: Ready<N>,
}

impl<const N: usize> Ready<N> {
    const fn new() -> Self {
        Ready(OnceLock::new())
    }

    #[inline]
    fn find(&self, device: i8, chosen: &[u8; N]) -> Option<&Instance> {
        let mut at = self;
        while let Some(entry) = at.0.get() {
            if entry.device == device && entry.chosen == *chosen {
                return Some(&entry.instance);
            }
            at = &entry.next;
        }
        None
    }

    /// The caller holds the lock.
    fn add(&self, device: i8, chosen: [u8; N], instance: Instance) -> &Instance {
        let mut at = self;
        while let Some(entry) = at.0.get() {
            at = &entry.next;
        }
        let entry = || Box::new(Entry { device, chosen, instance, next: Ready::new() });
        &at.0.get_or_init(entry).instance
    }
}

impl<P, const N: usize> Kernel<P, N> {
    /// For [`cuda_kernels!`](crate::cuda_kernels), whose words `unsafe extern` promise what is to be promised.
    #[doc(hidden)]
    pub const fn __declared(def: &'static KernelDef) -> Self {
        Kernel { def, ready: Ready::new(), compiling: Mutex::new(()), parameters: PhantomData }
    }
}

impl<P: Parameters, const N: usize> Kernel<P, N> {
    /// Launches it on torch's current stream of the tensors' device (without tensors: of the current device), and does not wait
    /// for it.
    ///
    /// `values` are those of the template parameters and macros, as declared. A grid without blocks launches nothing.
    ///
    /// # Errors
    /// All name the kernel. `RuntimeError` if tensors are not on one CUDA device, if the kernel does not compile or load, if
    /// the grid is more than the card can do, and what the driver says; `TypeError` if a tensor has another dtype than
    /// declared; `NotImplementedError` if there is no driver or, for kernels from source, no NVRTC.
    #[inline]
    pub fn launch(&self, values: [&str; N], grid: Grid, arguments: P::Given<'_>) -> Result<()> {
        let mut packed = Packed::default();
        if let Err(error) = P::pack(arguments, &mut packed) {
            return Err(self.wrong_argument(&error, packed.failed));
        }
        let chosen = self.def.choose(values)?;
        self.run(&chosen, grid, &mut packed)
    }

    fn run(&self, chosen: &[u8; N], grid: Grid, packed: &mut Packed) -> Result<()> {
        if grid.is_empty() {
            return Ok(());
        }
        let (stream, current) = stream::current(packed.device().unwrap_or(-1)).map_err(|error| self.failed(&error))?;
        let device = packed.device().unwrap_or(current);
        let _guard = if device == current { None } else { Some(DeviceGuard::new(device)?) };
        let instance = match self.ready.find(device, chosen) {
            Some(instance) => instance,
            None => self.make(device, chosen)?,
        };
        instance.card.bind()?;
        instance.check(grid)?;
        let mut pointers = packed.pointers();
        let ([bx, by, bz], [tx, ty, tz]) = (grid.blocks, grid.threads);
        // SAFETY: the number and sizes of the parameters are the compiled function's (checked when it was loaded); the pointers
        // are to parameters that live until the call returns, which copies them; the stream is torch's current one of the card
        // whose context is bound. What the kernel does with its arguments is the declaration's promise.
        let code = unsafe {
            sys::cuLaunchKernel(
                instance.function,
                bx,
                by,
                bz,
                tx,
                ty,
                tz,
                grid.shared,
                stream as sys::CUstream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        if code == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(instance.refused(code)) }
    }

    #[cold]
    #[inline(never)]
    fn make(&self, device: i8, chosen: &[u8; N]) -> Result<&Instance> {
        let _lock = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instance) = self.ready.find(device, chosen) {
            return Ok(instance);
        }
        let index = u8::try_from(device).map_err(|_| self.def.error("torch gave no current device"))?;
        let instance = Instance::make(self.def, chosen, index)?;
        Ok(self.ready.add(device, *chosen, instance))
    }

    #[cold]
    #[inline(never)]
    fn wrong_argument(&self, error: &Error, position: usize) -> Error {
        let name = self.def.parameters.get(position).map_or("?", |(name, _)| name);
        Error::new(error.kind(), format!("CUDA kernel `{}`, argument `{name}`: {}", self.def.name, error.message()))
            .of_op()
    }

    #[cold]
    fn failed(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("CUDA kernel `{}`: {}", self.def.name, error.message())).of_op()
    }
}

impl Instance {
    #[inline]
    fn check(&self, grid: Grid) -> Result<()> {
        let (threads, shared) = (grid.threads_in_block(), grid.shared);
        if threads > self.threads || threads == 0 || shared > self.shared {
            return Err(self.too_much(threads, shared));
        }
        Ok(())
    }

    #[cold]
    fn too_much(&self, threads: u64, shared: u32) -> Error {
        let text = if shared > self.shared {
            format!("{shared} bytes of shared memory in a block, the card has {} for this kernel", self.shared)
        } else {
            format!("{threads} threads in a block, expected 1 to {}", self.threads)
        };
        Error::runtime(format!("CUDA kernel `{}`: {text}", self.title)).of_op()
    }

    #[cold]
    fn refused(&self, code: sys::CUresult) -> Error {
        let text = driver::text_of(code);
        Error::runtime(format!(
            "CUDA kernel `{}`: the launch failed: {text} (an earlier kernel may be the cause: CUDA_LAUNCH_BLOCKING=1 shows which)",
            self.title
        ))
        .of_op()
    }
}

impl<P, const N: usize> std::fmt::Debug for Kernel<P, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({} of {})", self.def.name, self.def.location)
    }
}
