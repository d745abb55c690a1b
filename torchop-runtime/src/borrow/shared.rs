//! One registry for the process, whichever library brought it.

use super::claim::{Claim, Gaps, Place};
use super::registry::{Obstacle, REGISTRY, survive_forks};
use crate::error::{Error, OrTorch, Result};
use std::fmt;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use torchop_sys::{TensorHandle, ffi};

/// Asks the registry of whichever library for a claim: in registers, since most of it was computed a moment ago.
type Ask<R> = unsafe extern "C" fn(
    place: Place,
    start: usize,
    end: usize,
    storage: usize,
    writable: bool,
    gaps: Option<&Gaps>,
    obstacle: &mut MaybeUninit<Obstacle>,
) -> R;

/// How a library reaches the registry of another. Changes of it, of [`Place`], [`Gaps`] or [`Obstacle`] change [`NAME`].
#[repr(C)]
struct Shared {
    live: &'static AtomicUsize,
    /// A token for the claim, or [`REFUSED`], with the obstacle.
    claim: Ask<u64>,
    release: unsafe extern "C" fn(token: u64),
    /// Whether there is an obstacle.
    obstacle: Ask<bool>,
}

const NAME: &str = "borrows_v2";
const REFUSED: u64 = u64::MAX;

static OWN: Shared = Shared { live: &REGISTRY.live, claim: own_claim, release: own_release, obstacle: own_obstacle };

unsafe extern "C" fn own_claim(
    place: Place,
    start: usize,
    end: usize,
    storage: usize,
    writable: bool,
    gaps: Option<&Gaps>,
    obstacle: &mut MaybeUninit<Obstacle>,
) -> u64 {
    REGISTRY.claim(Claim { start, end, storage, place, writable, gaps }).unwrap_or_else(|found| {
        obstacle.write(found);
        REFUSED
    })
}

unsafe extern "C" fn own_release(token: u64) {
    REGISTRY.release(token);
}

unsafe extern "C" fn own_obstacle(
    place: Place,
    start: usize,
    end: usize,
    storage: usize,
    writable: bool,
    gaps: Option<&Gaps>,
    obstacle: &mut MaybeUninit<Obstacle>,
) -> bool {
    let found = REGISTRY.obstacle(Claim { start, end, storage, place, writable, gaps });
    found.map(|found| obstacle.write(found)).is_some()
}

/// Asks for the claim.
///
/// # Safety
/// That of the function: who enters a claim has a reference to its storage.
#[inline]
unsafe fn ask<R>(function: Ask<R>, claim: Claim<'_>, obstacle: &mut MaybeUninit<Obstacle>) -> R {
    // SAFETY: the caller's promise.
    unsafe { function(claim.place, claim.start, claim.end, claim.storage, claim.writable, claim.gaps, obstacle) }
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
    wanted: Obstacle,
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
    #[inline(always)]
    pub(crate) unsafe fn new(claim: Claim<'_>) -> Result<Result<Self, Clash>> {
        let held = Storage(claim.storage);
        let shared = shared()?;
        if ptr::eq(shared, &OWN) {
            // Nobody else's, as nearly always: no call.
            return Ok(match REGISTRY.claim(claim) {
                Ok(token) => {
                    std::mem::forget(held);
                    Ok(Lease { token, storage: claim.storage })
                }
                Err(held) => Err(Clash { held, wanted: claim.into() }),
            });
        }
        let mut obstacle = MaybeUninit::uninit();
        // SAFETY: `held` is the reference to the storage, until the lease has it.
        let token = unsafe { ask(shared.claim, claim, &mut obstacle) };
        if token != REFUSED {
            std::mem::forget(held);
            return Ok(Ok(Lease { token, storage: claim.storage }));
        }
        // SAFETY: it is written where the claim is refused.
        Ok(Err(Clash { held: unsafe { obstacle.assume_init() }, wanted: claim.into() }))
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
        let lease = unsafe { Lease::new(claim) }?;
        lease
            .map(|lease| Held { _lease: lease })
            .map_err(|clash| Error::runtime(format!("the memory is borrowed for {}", clash.held())))
    }
}

impl Drop for Lease {
    #[inline]
    fn drop(&mut self) {
        give_back(self.token, self.storage);
    }
}

#[inline(never)]
fn give_back(token: u64, storage: usize) {
    let _storage = Storage(storage);
    match SHARED.get() {
        Some(shared) if ptr::eq(*shared, &OWN) => REGISTRY.release(token),
        // SAFETY: the token comes from there.
        Some(shared) => unsafe { (shared.release)(token) },
        None => {}
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
pub(crate) fn conflict(claim: Claim<'_>) -> Option<Clash> {
    let mut obstacle = MaybeUninit::uninit();
    // SAFETY: nothing is entered; the obstacle is written where there is one.
    unsafe {
        ask(shared().ok()?.obstacle, claim, &mut obstacle)
            .then(|| Clash { held: obstacle.assume_init(), wanted: claim.into() })
    }
}
