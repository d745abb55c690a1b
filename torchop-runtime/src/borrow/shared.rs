//! One registry for the process, whichever library brought it.

use super::claim::{Claim, Place};
use super::registry::{Obstacle, REGISTRY, survive_forks};
use crate::error::{Error, OrTorch, Result};
use std::fmt;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use torchop_sys::{TensorHandle, ffi};

/// How a library reaches the registry of another. Changes of it, of [`Claim`] or of [`Obstacle`] change [`NAME`].
#[repr(C)]
struct Shared {
    live: &'static AtomicUsize,
    claim: unsafe extern "C" fn(claim: *const Claim, token: *mut u64, obstacle: *mut Obstacle) -> bool,
    release: unsafe extern "C" fn(token: u64),
    obstacle: unsafe extern "C" fn(claim: *const Claim, obstacle: *mut Obstacle) -> bool,
}

const NAME: &str = "borrows_v1";

static OWN: Shared = Shared { live: &REGISTRY.live, claim: own_claim, release: own_release, obstacle: own_obstacle };

unsafe extern "C" fn own_claim(claim: *const Claim, token: *mut u64, obstacle: *mut Obstacle) -> bool {
    // SAFETY: the caller gives a live claim, and room for both results.
    unsafe {
        match REGISTRY.claim(&*claim) {
            Ok(given) => token.write(given),
            Err(found) => {
                obstacle.write(found);
                return false;
            }
        }
    }
    true
}

unsafe extern "C" fn own_release(token: u64) {
    REGISTRY.release(token);
}

unsafe extern "C" fn own_obstacle(claim: *const Claim, obstacle: *mut Obstacle) -> bool {
    // SAFETY: as for `own_claim`.
    unsafe {
        match REGISTRY.obstacle(&*claim) {
            Some(found) => {
                obstacle.write(found);
                true
            }
            None => false,
        }
    }
}

static SHARED: OnceLock<&'static Shared> = OnceLock::new();

#[inline]
fn shared() -> Result<&'static Shared> {
    match SHARED.get() {
        Some(shared) => Ok(shared),
        None => find_shared(),
    }
}

#[cold]
fn find_shared() -> Result<&'static Shared> {
    survive_forks();
    let address = ffi::process_wide(NAME, &raw const OWN as usize).or_torch()?;
    // SAFETY: under this name libraries enter the address of their `OWN`, of this layout, and are never unmapped.
    let found = unsafe { &*(address as *const Shared) };
    Ok(SHARED.get_or_init(|| found))
}

/// Whether anybody looks at any memory.
#[inline]
pub(crate) fn any_live() -> Result<bool> {
    // Before this library's first claim another one's may live: whoever has no registry yet asks for it.
    Ok(shared()?.live.load(Ordering::Relaxed) != 0)
}

/// Why a claim cannot be had.
#[derive(Debug)]
pub(crate) struct Clash {
    held: Obstacle,
    wanted: Claim,
}

impl Clash {
    /// The places of both, for messages.
    pub(crate) fn held(&self) -> impl fmt::Display + use<> {
        Words(self.held.writable, self.held.place)
    }

    pub(crate) fn wanted(&self) -> impl fmt::Display + use<> {
        Words(self.wanted.writable, self.wanted.place)
    }
}

struct Words(bool, Place);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", if self.0 { "writing" } else { "reading" }, self.1)
    }
}

/// A claim that is held, with a reference to the storage.
#[derive(Debug)]
pub(crate) struct Lease {
    token: u64,
    storage: usize,
}

impl Lease {
    /// Takes the claim over, or gives the reference to the storage back.
    ///
    /// # Safety
    /// The caller owns one reference to the claim's storage, in which the claimed bytes lie, and gives it away.
    #[inline]
    pub(crate) unsafe fn new(claim: &Claim) -> Result<Result<Self, Clash>> {
        let held = Storage(claim.storage);
        let shared = shared()?;
        let (mut token, mut obstacle) = (0, MaybeUninit::uninit());
        // SAFETY: the claim is live, and there is room for both results.
        if unsafe { (shared.claim)(claim, &raw mut token, obstacle.as_mut_ptr()) } {
            std::mem::forget(held);
            return Ok(Ok(Lease { token, storage: claim.storage }));
        }
        // SAFETY: it is written where the claim fails.
        Ok(Err(Clash { held: unsafe { obstacle.assume_init() }, wanted: *claim }))
    }
}

/// The memory of a storage, kept where it is without being looked at: what goes to other libraries.
#[derive(Debug)]
pub struct Held {
    _lease: Lease,
}

impl Held {
    /// Torch refuses to resize the storage of this tensor from now on.
    ///
    /// # Errors
    /// If the tensor has no storage.
    #[track_caller]
    pub fn new(tensor: &TensorHandle) -> Result<Self> {
        let claim = Claim::hold(ffi::storage_hold(tensor).or_torch()?, Place::new(Location::caller()));
        // SAFETY: the reference is ours to give away, and no bytes are claimed.
        let lease = unsafe { Lease::new(&claim) }?;
        lease
            .map(|lease| Held { _lease: lease })
            .map_err(|clash| Error::runtime(format!("the memory is borrowed for {}", clash.held())))
    }
}

impl Drop for Lease {
    #[inline]
    fn drop(&mut self) {
        if let Some(shared) = SHARED.get() {
            // SAFETY: the token comes from there.
            unsafe { (shared.release)(self.token) }
        }
        drop(Storage(self.storage));
    }
}

/// A reference to a storage. Given back outside the registry's lock: it may free memory by foreign code.
struct Storage(usize);

impl Drop for Storage {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: made from a reference that was given away to it.
        unsafe { ffi::storage_release(self.0) }
    }
}

/// What stands in the way of a claim that is not to be held.
pub(crate) fn conflict(claim: &Claim) -> Option<Clash> {
    let mut obstacle = MaybeUninit::uninit();
    // SAFETY: as in `Lease::new`.
    unsafe {
        (shared().ok()?.obstacle)(claim, obstacle.as_mut_ptr())
            .then(|| Clash { held: obstacle.assume_init(), wanted: *claim })
    }
}
