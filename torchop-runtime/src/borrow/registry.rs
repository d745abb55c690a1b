//! The claims of this process, under one lock that is held for nanoseconds and under which no foreign code runs.

use super::claim::{Claim, Place};
use super::overlap::overlap;
use std::cell::UnsafeCell;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use torchop_sys::ffi;

struct Entry {
    claim: Claim,
    /// Whose it is: claims of threads that a fork leaves behind are gone in the child.
    thread: usize,
    /// Which use of this slot it is; a claim that a fork took away is not released twice.
    turn: u32,
    live: bool,
    /// Whether this claim made torch refuse to resize the storage.
    pins: bool,
}

pub(super) struct Registry {
    locked: AtomicBool,
    pub(super) live: AtomicUsize,
    entries: UnsafeCell<Vec<Entry>>,
}

// SAFETY: the entries are reached under the lock alone.
unsafe impl Sync for Registry {}

pub(super) static REGISTRY: Registry =
    Registry { locked: AtomicBool::new(false), live: AtomicUsize::new(0), entries: UnsafeCell::new(Vec::new()) };

/// What stands in the way of a claim.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Obstacle {
    pub(super) place: Place,
    pub(super) writable: bool,
}

struct Locked<'r>(&'r Registry);

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}

impl Locked<'_> {
    /// Others only read the number, so that this needs no atomic addition.
    #[inline]
    fn count(&mut self, more: isize) {
        let live = &self.0.live;
        live.store(live.load(Ordering::Relaxed).wrapping_add_signed(more), Ordering::Relaxed);
    }

    #[inline]
    fn entries(&mut self) -> &mut Vec<Entry> {
        // SAFETY: the lock is ours, and `self` is borrowed for as long as the entries are.
        unsafe { &mut *self.0.entries.get() }
    }
}

impl Registry {
    #[inline]
    fn lock(&self) -> Locked<'_> {
        if self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.wait();
        }
        Locked(self)
    }

    /// Spins, since the holder is gone in nanoseconds, unless it lost its core.
    #[cold]
    fn wait(&self) {
        for round in 0_u32.. {
            if !self.locked.load(Ordering::Relaxed)
                && self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return;
            }
            if round < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Enters the claim, unless a live one stands in its way. Nothing but the tables is touched by then.
    #[inline]
    pub(super) fn claim(&self, claim: &Claim) -> Result<u64, Obstacle> {
        let mut locked = self.lock();
        let entries = locked.entries();
        let mut free = entries.len();
        for (index, entry) in entries.iter().enumerate() {
            if !entry.live {
                free = index;
            } else if in_the_way(entry, claim) {
                return Err(Obstacle { place: entry.claim.place, writable: entry.claim.writable });
            }
        }
        // SAFETY: whoever claims holds a reference to the storage (`tensor_memory`).
        let pins = unsafe { ffi::storage_pin(claim.storage) };
        let (thread, mut turn) = (this_thread(), 0);
        if let Some(entry) = entries.get_mut(free) {
            turn = entry.turn.wrapping_add(1);
            *entry = Entry { claim: *claim, thread, turn, live: true, pins };
        } else {
            entries.push(Entry { claim: *claim, thread, turn, live: true, pins });
        }
        locked.count(claim.counts());
        Ok((free as u64) << 32 | u64::from(turn))
    }

    #[inline]
    pub(super) fn release(&self, token: u64) {
        let (index, turn) = ((token >> 32) as usize, token as u32);
        let mut locked = self.lock();
        let entries = locked.entries();
        let Some(entry) = entries.get_mut(index).filter(|entry| entry.live && entry.turn == turn) else {
            return;
        };
        entry.live = false;
        let (storage, pins, counts) = (entry.claim.storage, entry.pins, entry.claim.counts());
        locked.count(-counts);
        if pins {
            // SAFETY: the releasing one still has its reference to the storage, which it pinned.
            unsafe { pass_on(locked.entries(), storage) }
        }
    }

    /// What would stand in the way of such a claim.
    pub(super) fn obstacle(&self, claim: &Claim) -> Option<Obstacle> {
        let mut locked = self.lock();
        let entry = locked.entries().iter().find(|entry| entry.live && in_the_way(entry, claim))?;
        Some(Obstacle { place: entry.claim.place, writable: entry.claim.writable })
    }
}

/// Lets another claim on the storage have its pin, or takes it out.
///
/// # Safety
/// The storage lives, and was pinned.
#[inline]
unsafe fn pass_on(entries: &mut [Entry], storage: usize) {
    match entries.iter_mut().find(|other| other.live && other.claim.storage == storage) {
        Some(heir) => heir.pins = true,
        // SAFETY: the caller's promise.
        None => unsafe { ffi::storage_unpin(storage) },
    }
}

#[inline]
fn in_the_way(entry: &Entry, claim: &Claim) -> bool {
    let held = &entry.claim;
    (held.writable || claim.writable) && held.start < claim.end && claim.start < held.end && overlap(held, claim)
}

fn this_thread() -> usize {
    // SAFETY: always may be called.
    unsafe { libc::pthread_self() as usize }
}

/// A fork finds the registry unlocked, in the child too, and there without the claims of threads that the child lacks.
pub(super) fn survive_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions live as long as the process, since the library is never unmapped.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    });
}

extern "C" fn before_fork() {
    std::mem::forget(REGISTRY.lock());
}

extern "C" fn after_fork() {
    drop(Locked(&REGISTRY));
}

extern "C" fn in_child() {
    let mut locked = Locked(&REGISTRY);
    let thread = this_thread();
    let mut gone = 0;
    // Who holds memory for others holds it in the child too.
    let lost = |entry: &&mut Entry| entry.live && entry.thread != thread && entry.claim.counts() > 0;
    let mut pinned = Vec::new();
    for entry in locked.entries().iter_mut().filter(lost) {
        entry.live = false;
        gone -= 1;
        if entry.pins {
            pinned.push(entry.claim.storage);
        }
    }
    for storage in pinned {
        // SAFETY: the reference that the lost thread held is never given back in this process.
        unsafe { pass_on(locked.entries(), storage) }
    }
    locked.count(gone);
}
