//! The CUDA driver, through cudarc: opened at the first launch, never at load.

use crate::error::{Error, ErrorKind, Result};
use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute_enum as Attribute, CUresult};
use std::ffi::CStr;
use std::sync::OnceLock;

/// The driver of this process.
pub(super) struct Driver {
    /// 13000 for 13.0.
    pub(super) version: i32,
}

/// A card.
#[derive(Debug)]
pub(super) struct Card {
    context: CUcontext,
    /// 90 for compute capability 9.0.
    pub(super) arch: i32,
    /// The most bytes of shared memory that a block may ask for.
    pub(super) shared: i32,
}

// SAFETY: the primary context, which the driver lets any thread use; the pointer is never written through.
unsafe impl Send for Card {}
// SAFETY: as above.
unsafe impl Sync for Card {}

/// What the driver says, as text: `CUDA_ERROR_INVALID_VALUE, invalid argument`.
pub(super) fn text_of(code: CUresult) -> String {
    let (mut name, mut text) = (std::ptr::null(), std::ptr::null());
    // SAFETY: both write a pointer to a static string, or null.
    unsafe {
        let _ = sys::cuGetErrorName(code, &mut name);
        let _ = sys::cuGetErrorString(code, &mut text);
    }
    let string = |text: *const std::ffi::c_char| {
        // SAFETY: null, or a static string of the driver's.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    let name = string(name).unwrap_or_else(|| format!("error {}", code as u32));
    string(text).map_or(name.clone(), |text| format!("{name}, {text}"))
}

pub(super) fn require(code: CUresult, what: &str) -> Result<()> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            Err(Error::new(ErrorKind::OutOfMemory, format!("{what}: {}", text_of(code))))
        }
        code => Err(Error::runtime(format!("{what}: {}", text_of(code)))),
    }
}

impl Driver {
    /// The error says that there is none.
    pub(super) fn get() -> Result<&'static Driver> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        DRIVER.get_or_init(Driver::open).as_ref().map_err(|text| Error::not_implemented(text.clone()))
    }

    fn open() -> Result<Driver, String> {
        // SAFETY: opens the driver's library and closes it again; without it, cudarc's functions panic.
        if !unsafe { sys::is_culib_present() } {
            return Err("the CUDA driver could not be opened: there is no libcuda.so.1 on this machine".into());
        }
        let mut version = 0;
        // SAFETY: cuInit may be called again and again, also after torch; the other writes a number.
        let code = unsafe {
            match sys::cuInit(0) {
                CUresult::CUDA_SUCCESS => sys::cuDriverGetVersion(&mut version),
                failed => failed,
            }
        };
        match code {
            CUresult::CUDA_SUCCESS => Ok(Driver { version }),
            code => Err(format!("the CUDA driver does not start: {}", text_of(code))),
        }
    }

    /// The card that torch calls `cuda:index`: both count what `CUDA_VISIBLE_DEVICES` leaves.
    pub(super) fn card(&self, index: u8) -> Result<&'static Card> {
        const MANY: usize = 64;
        static CARDS: [OnceLock<Card>; MANY] = [const { OnceLock::new() }; MANY];
        let place = CARDS
            .get(usize::from(index))
            .ok_or_else(|| Error::runtime(format!("cuda:{index}: torchop knows {MANY} cards")))?;
        if let Some(card) = place.get() {
            return Ok(card);
        }
        let card = Card::open(index)?;
        Ok(place.get_or_init(|| card))
    }
}

impl Card {
    fn open(index: u8) -> Result<Card> {
        let mut device: CUdevice = 0;
        // SAFETY: writes a number.
        require(unsafe { sys::cuDeviceGet(&mut device, i32::from(index)) }, &format!("cuda:{index}"))?;
        let ask = |attribute| {
            let mut value = 0;
            // SAFETY: writes a number; the device is one.
            require(unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) }, "a card's attribute")?;
            Ok::<i32, Error>(value)
        };
        let arch = 10 * ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let shared = ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let mut context = std::ptr::null_mut();
        // SAFETY: the context that torch uses too; our reference to it is kept as long as the process lives.
        require(unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) }, "the card's context")?;
        Ok(Card { context, arch, shared })
    }

    /// Makes the card's context the thread's. The caller holds torch's device guard, which this agrees with: a thread that
    /// never called CUDA has no context yet, whatever torch's current device is.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        let mut current = std::ptr::null_mut();
        // SAFETY: writes a pointer; the context lives as long as the process.
        unsafe {
            require(sys::cuCtxGetCurrent(&mut current), "the thread's context")?;
            if current != self.context {
                require(sys::cuCtxSetCurrent(self.context), "the card's context")?;
            }
        }
        Ok(())
    }
}

/// While it lives, this thread may do what a stream capture elsewhere would forbid (loading code takes memory).
pub(super) struct Relaxed(sys::CUstreamCaptureMode);

impl Relaxed {
    pub(super) fn new() -> Result<Self> {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: exchanges this thread's mode with the number behind the pointer.
        require(unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) }, "the thread's capture mode")?;
        Ok(Relaxed(mode))
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        // SAFETY: as above.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut self.0) };
    }
}
