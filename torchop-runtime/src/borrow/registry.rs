//! The claims of this process, under one lock that is held for nanoseconds and under which no foreign code runs.

use super::claim::{Claim, Gaps, Place};
use super::overlap::overlap;
use std::cell::UnsafeCell;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use torchop_sys::{storage_pin, storage_unpin};

struct Entry {
    start: usize,
    end: usize,
    storage: usize,
    place: Place,
    writable: bool,
    gaps: Option<Gaps>,
    /// Whose it is: claims of threads that a fork leaves behind are gone in the child.
    thread: usize,
    /// Which claim it is; one that a fork took away is not released as another.
    turn: u32,
    live: bool,
    /// Whether this claim made torch refuse to resize the storage.
    pins: bool,
}

impl Entry {
    const FREE: Self = Entry {
        start: 0,
        end: 0,
        storage: 0,
        place: Place::NOWHERE,
        writable: false,
        gaps: None,
        thread: 0,
        turn: 0,
        live: false,
        pins: false,
    };

    fn claim(&self) -> Claim<'_> {
        let &Entry { start, end, storage, place, writable, .. } = self;
        Claim { start, end, storage, place, writable, gaps: self.gaps.as_ref() }
    }

    /// Whether anybody has to look for it, as a number.
    #[inline]
    fn counts(&self) -> isize {
        isize::from(self.start != self.end)
    }

    fn obstacle(&self) -> Obstacle {
        Obstacle { place: self.place, writable: self.writable }
    }

    #[inline]
    fn in_the_way(&self, claim: Claim<'_>) -> bool {
        (self.writable || claim.writable) && self.start < claim.end && claim.start < self.end && self.overlaps(claim)
    }

    /// By value: until here nobody wants the claim in memory.
    #[cold]
    fn overlaps(&self, claim: Claim<'_>) -> bool {
        overlap(&self.claim(), &claim)
    }
}

/// So many entries are read through without a thought.
const FEW: usize = 4;

struct Table {
    entries: Vec<Entry>,
    /// Of the last claim.
    turn: u32,
}

impl Table {
    /// Leaves out free entries at the end: once there were many, they are not read for ever.
    #[cold]
    fn trim(&mut self) {
        while self.entries.last().is_some_and(|entry| !entry.live) {
            self.entries.pop();
        }
    }
}

pub(super) struct Registry {
    locked: AtomicBool,
    pub(super) live: AtomicUsize,
    table: UnsafeCell<Table>,
}

// SAFETY: the table is reached under the lock alone.
unsafe impl Sync for Registry {}

pub(super) static REGISTRY: Registry = Registry {
    locked: AtomicBool::new(false),
    live: AtomicUsize::new(0),
    table: UnsafeCell::new(Table { entries: Vec::new(), turn: 0 }),
};

/// What stands in the way of a claim.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Obstacle {
    pub(super) place: Place,
    pub(super) writable: bool,
}

impl From<Claim<'_>> for Obstacle {
    #[inline]
    fn from(claim: Claim<'_>) -> Self {
        Obstacle { place: claim.place, writable: claim.writable }
    }
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
    fn table(&mut self) -> &mut Table {
        // SAFETY: the lock is ours, and `self` is borrowed for as long as the table is.
        unsafe { &mut *self.0.table.get() }
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
    #[inline(always)]
    pub(super) fn claim(&self, claim: Claim<'_>) -> Result<u64, Obstacle> {
        let mut locked = self.lock();
        let table = locked.table();
        if table.entries.len() > FEW {
            table.trim();
        }
        let mut free = table.entries.len();
        for (index, entry) in table.entries.iter().enumerate() {
            if !entry.live {
                free = free.min(index);
            } else if entry.in_the_way(claim) {
                return Err(entry.obstacle());
            }
        }
        if free == table.entries.len() {
            table.entries.push(Entry::FREE);
        }
        table.turn = table.turn.wrapping_add(1);
        let entry = &mut table.entries[free];
        // Field by field: there are gaps rarely, and without them their place need not be written to.
        (entry.start, entry.end, entry.storage) = (claim.start, claim.end, claim.storage);
        (entry.place, entry.writable) = (claim.place, claim.writable);
        match claim.gaps {
            None => entry.gaps = None,
            Some(gaps) => entry.gaps = Some(*gaps),
        }
        (entry.thread, entry.turn, entry.live) = (this_thread(), table.turn, true);
        // SAFETY: whoever claims holds a reference to the storage (`tensor_memory`).
        entry.pins = unsafe { storage_pin(claim.storage) };
        let (turn, counts) = (entry.turn, entry.counts());
        locked.count(counts);
        Ok((free as u64) << 32 | u64::from(turn))
    }

    #[inline]
    pub(super) fn release(&self, token: u64) {
        let (index, turn) = ((token >> 32) as usize, token as u32);
        let mut locked = self.lock();
        let table = locked.table();
        let Some(entry) = table.entries.get_mut(index).filter(|entry| entry.live && entry.turn == turn) else {
            return;
        };
        entry.live = false;
        let (storage, pins, counts) = (entry.storage, entry.pins, entry.counts());
        if pins {
            // SAFETY: the releasing one still has its reference to the storage, which it pinned.
            unsafe { pass_on(&mut table.entries, storage) }
        }
        locked.count(-counts);
    }

    /// What would stand in the way of such a claim.
    pub(super) fn obstacle(&self, claim: Claim<'_>) -> Option<Obstacle> {
        let mut locked = self.lock();
        Some(locked.table().entries.iter().find(|entry| entry.live && entry.in_the_way(claim))?.obstacle())
    }
}

/// Lets another claim on the storage have its pin, or takes it out.
///
/// # Safety
/// The storage lives, and was pinned.
#[inline]
unsafe fn pass_on(entries: &mut [Entry], storage: usize) {
    match entries.iter_mut().find(|other| other.live && other.storage == storage) {
        Some(heir) => heir.pins = true,
        // SAFETY: the caller's promise.
        None => unsafe { storage_unpin(storage) },
    }
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
    let lost = |entry: &&mut Entry| entry.live && entry.thread != thread && entry.counts() > 0;
    let mut pinned = Vec::new();
    let table = locked.table();
    for entry in table.entries.iter_mut().filter(lost) {
        entry.live = false;
        gone -= 1;
        if entry.pins {
            pinned.push(entry.storage);
        }
    }
    for storage in pinned {
        // SAFETY: the reference that the lost thread held is never given back in this process.
        unsafe { pass_on(&mut table.entries, storage) }
    }
    locked.count(gone);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    fn registry() -> Registry {
        let table = UnsafeCell::new(Table { entries: Vec::new(), turn: 0 });
        Registry { locked: AtomicBool::new(false), live: AtomicUsize::new(0), table }
    }

    /// Memory that stands for a storage which torch does not resize anyway: its flags are zeroes, and only they are read.
    static STORAGE: [u64; 128] = [0; 128];

    fn byte(number: usize, writable: bool) -> Claim<'static> {
        Claim::solid(1 + number, 1, (&raw const STORAGE) as usize, writable, Place::new(Location::caller()))
    }

    #[test]
    fn a_table_that_was_long_gets_short_again() {
        let registry = registry();
        let mut tokens: Vec<u64> = (0..600).map(|number| registry.claim(byte(number, true)).unwrap()).collect();
        assert_eq!(registry.live.load(Ordering::Relaxed), 600);
        assert!((0..600).all(|number| registry.obstacle(byte(number, false)).is_some()));
        let last = tokens.pop().unwrap();
        // From the middle to both ends.
        tokens.sort_by_key(|token| (token >> 32).abs_diff(300));
        tokens.into_iter().for_each(|token| registry.release(token));
        assert!((0..599).all(|number| registry.obstacle(byte(number, true)).is_none()));
        // Free entries at the front are used first, and the last one stands in nobody's way.
        let few: Vec<u64> = (0..20).map(|number| registry.claim(byte(number, false)).unwrap()).collect();
        assert!(registry.claim(byte(599, false)).is_err());
        registry.release(last);
        few.into_iter().for_each(|token| registry.release(token));
        assert_eq!(registry.live.load(Ordering::Relaxed), 0);
        registry.release(registry.claim(byte(0, true)).unwrap());
        assert_eq!(registry.lock().table().entries.len(), 1);
    }

    #[test]
    fn a_claim_is_released_once() {
        let registry = registry();
        let first = registry.claim(byte(0, true)).unwrap();
        registry.release(first);
        let second = registry.claim(byte(0, true)).unwrap();
        assert_eq!(first >> 32, second >> 32);
        registry.release(first);
        assert!(registry.claim(byte(0, false)).is_err());
        registry.release(second);
        registry.release(second);
        assert_eq!(registry.live.load(Ordering::Relaxed), 0);
    }
}
