//! The lock of an object whose class has methods that change it: many readers or one writer, none of whom wait for ever, unless a guard is
//! forgotten.
//!
//! A thread that would wait for itself, directly or through others, gets an error instead. While a thread waits it lets go
//! of Python's lock, which the thread that it waits for may need.
//!
//! One thread that has the lock once is written into one word, which costs two atomic instructions for a call. As soon as a
//! second wants it, the word says so, and all is in `State` under a mutex until nobody has it any more.

use crate::python::without_python_lock;
use smallvec::SmallVec;
use std::cell::Cell;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a method does to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// `&self`.
    Shared,
    /// `&mut self`.
    Exclusive,
}

/// Why an object cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// This thread is inside a method that changes it.
    ChangedHere,
    /// This thread is inside a method that reads it, and wants to change it.
    ReadHere,
    /// A thread that has it waits for one that this thread has.
    Deadlock,
    /// A method panicked while it changed it.
    Broken,
}

/// One for each object of such a class.
#[derive(Debug, Default)]
pub(super) struct Lock {
    /// [`FREE`], a thread (see [`Thread::word`]), or [`CROWDED`]. Only under the mutex does it become `CROWDED` or cease to be.
    word: AtomicUsize,
    /// Counts while the word is `CROWDED`.
    state: Mutex<State>,
    changed: Condvar,
}

const FREE: usize = 0;
/// Beside the thread in the word: it reads.
const READS: usize = 1;
const CROWDED: usize = 2;

#[derive(Debug, Default)]
struct State {
    writer: Option<Thread>,
    /// One entry for each reading: a thread may be in several methods of the object.
    readers: SmallVec<[Thread; 4]>,
    waiting: usize,
    waiting_writers: usize,
    broken: bool,
}

/// The address of a variable of the thread's own: unique among threads that live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Thread(usize);

thread_local! {
    /// How many locks this thread has.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

impl Thread {
    fn of(held: &Cell<usize>) -> Self {
        Thread(std::ptr::from_ref(held).addr())
    }

    fn current() -> Self {
        HELD.with(Thread::of)
    }

    /// The lock's word while this thread alone has it. The address is a multiple of four.
    fn word(self, access: Access) -> usize {
        const { assert!(align_of::<Cell<usize>>() >= 4) };
        self.0 | if access == Access::Shared { READS } else { 0 }
    }
}

/// Which thread waits for which lock. Entered before a thread waits, so the last of a circle sees the others.
static WAITING: Mutex<Vec<(Thread, Waited)>> = Mutex::new(Vec::new());

/// The address of a lock that lives: a thread waits for it with its object in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waited(*const Lock);

// SAFETY: the lock is Sync, and lives while the entry is in the table.
unsafe impl Send for Waited {}

/// A panic inside leaves nothing half done: the critical sections are a few assignments.
fn entered<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn refusal(&self, access: Access, me: Thread) -> Option<Refusal> {
        if self.writer == Some(me) {
            return Some(Refusal::ChangedHere);
        }
        if access == Access::Exclusive && self.readers.contains(&me) {
            return Some(Refusal::ReadHere);
        }
        self.broken.then_some(Refusal::Broken)
    }

    /// Readers let writers who wait go first, but for threads that have a lock already: a writer may wait for them.
    fn is_free(&self, access: Access, holds_others: bool) -> bool {
        match access {
            Access::Shared => self.writer.is_none() && (self.waiting_writers == 0 || holds_others),
            Access::Exclusive => self.writer.is_none() && self.readers.is_empty(),
        }
    }

    fn enter(&mut self, access: Access, me: Thread) {
        match access {
            Access::Shared => self.readers.push(me),
            Access::Exclusive => self.writer = Some(me),
        }
        HELD.set(HELD.get() + 1);
    }

    /// Whom the word named.
    fn take_over(&mut self, word: usize) {
        match word & READS {
            READS => self.readers.push(Thread(word & !READS)),
            _ => self.writer = Some(Thread(word)),
        }
    }

    fn holders(&self) -> SmallVec<[Thread; 4]> {
        self.readers.iter().copied().chain(self.writer).collect()
    }
}

impl Lock {
    /// Enters, waiting for others if it must. [`Lock::leave`] is due on this thread.
    #[inline]
    pub(super) fn enter(&self, access: Access) -> Result<(), Refusal> {
        let alone = HELD.with(|held| {
            let free = self.word.compare_exchange(FREE, Thread::of(held).word(access), Acquire, Relaxed).is_ok();
            held.set(held.get() + usize::from(free));
            free
        });
        if alone { Ok(()) } else { self.enter_crowded(access) }
    }

    /// The state, which counts as long as the guard lives.
    fn crowded(&self) -> MutexGuard<'_, State> {
        let mut state = entered(&self.state);
        let mut word = self.word.load(Relaxed);
        while word != CROWDED {
            match self.word.compare_exchange_weak(word, CROWDED, AcqRel, Relaxed) {
                Ok(FREE) => break,
                Ok(_) => {
                    state.take_over(word);
                    break;
                }
                Err(now) => word = now,
            }
        }
        state
    }

    #[cold]
    fn enter_crowded(&self, access: Access) -> Result<(), Refusal> {
        let me = Thread::current();
        let mut state = self.crowded();
        if let Some(refusal) = state.refusal(access, me) {
            return Err(refusal);
        }
        if state.is_free(access, HELD.get() > 0) {
            state.enter(access, me);
            return Ok(());
        }
        drop(state);
        without_python_lock(|| self.wait(access, me))
    }

    #[cold]
    fn wait(&self, access: Access, me: Thread) -> Result<(), Refusal> {
        {
            let mut waiting = entered(&WAITING);
            if self.would_wait_for(me, &waiting) {
                return Err(Refusal::Deadlock);
            }
            waiting.push((me, Waited(self)));
        }
        let outcome = self.wait_for_turn(access, me);
        entered(&WAITING).retain(|(thread, _)| *thread != me);
        outcome
    }

    fn wait_for_turn(&self, access: Access, me: Thread) -> Result<(), Refusal> {
        let holds_others = HELD.get() > 0;
        let mut state = self.crowded();
        state.waiting += 1;
        state.waiting_writers += usize::from(access == Access::Exclusive);
        let mut outcome = Ok(());
        while !state.is_free(access, holds_others) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        state.waiting_writers -= usize::from(access == Access::Exclusive);
        if state.broken {
            outcome = Err(Refusal::Broken);
            self.changed.notify_all();
        } else {
            state.enter(access, me);
        }
        // Readers who let this writer go first look again when it leaves; readers in its company need no word.
        outcome
    }

    /// Whether a thread that has this lock waits, through any number of others, for `me`.
    fn would_wait_for(&self, me: Thread, waiting: &[(Thread, Waited)]) -> bool {
        let mut seen: SmallVec<[*const Lock; 8]> = SmallVec::new();
        let mut next: SmallVec<[*const Lock; 8]> = smallvec::smallvec![std::ptr::from_ref(self)];
        while let Some(lock) = next.pop() {
            if seen.contains(&lock) {
                continue;
            }
            seen.push(lock);
            // SAFETY: our own, or one in the table, whose lock we hold: those live.
            let holders = unsafe { &*lock }.crowded().holders();
            if holders.contains(&me) {
                return true;
            }
            next.extend(holders.iter().filter_map(|holder| {
                let (_, waited) = waiting.iter().find(|(thread, _)| thread == holder)?;
                // A thread that has got what it waited for is about to take its entry away.
                // SAFETY: as above.
                let has_it = unsafe { &*waited.0 }.crowded().holders().contains(holder);
                (!has_it).then_some(waited.0)
            }));
        }
        false
    }

    /// Gives back what [`Lock::enter`] gave to this thread. `broken`: a method panicked while it changed the object.
    #[inline]
    pub(super) fn leave(&self, access: Access, broken: bool) {
        let alone = !broken
            && HELD.with(|held| {
                let alone = self.word.compare_exchange(Thread::of(held).word(access), FREE, Release, Relaxed).is_ok();
                held.set(held.get() - usize::from(alone));
                alone
            });
        if !alone {
            self.leave_crowded(access, broken);
        }
    }

    #[cold]
    fn leave_crowded(&self, access: Access, broken: bool) {
        let me = Thread::current();
        let mut state = self.crowded();
        match access {
            Access::Exclusive => state.writer = None,
            Access::Shared => {
                if let Some(place) = state.readers.iter().rposition(|reader| *reader == me) {
                    state.readers.swap_remove(place);
                }
            }
        }
        state.broken |= broken;
        let wake = state.waiting > 0;
        if !wake && !state.broken && state.writer.is_none() && state.readers.is_empty() {
            self.word.store(FREE, Release);
        }
        drop(state);
        HELD.set(HELD.get() - 1);
        if wake {
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;
    use std::sync::atomic::AtomicBool;

    #[derive(Default)]
    struct Counted {
        lock: Lock,
        count: UnsafeCell<u64>,
    }

    // SAFETY: the count is touched under the lock alone.
    unsafe impl Sync for Counted {}

    fn is_settled(lock: &Lock) -> bool {
        lock.word.load(Relaxed) == FREE && lock.crowded().holders().is_empty()
    }

    #[test]
    fn writers_are_alone_and_the_word_is_free_afterwards() {
        const ROUNDS: u64 = 20_000;
        let (counted, torn) = (Counted::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (counted, torn) = (&counted, &torn);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        if (round + thread) % 3 == 0 {
                            counted.lock.enter(Access::Exclusive).unwrap();
                            // SAFETY: alone.
                            unsafe { *counted.count.get() += 1 };
                            counted.lock.leave(Access::Exclusive, false);
                            continue;
                        }
                        counted.lock.enter(Access::Shared).unwrap();
                        // SAFETY: nobody writes.
                        let before = unsafe { *counted.count.get() };
                        if round % 5 == 0 {
                            counted.lock.enter(Access::Shared).unwrap();
                            counted.lock.leave(Access::Shared, false);
                        }
                        // SAFETY: as above.
                        torn.fetch_or(before != unsafe { std::ptr::read_volatile(counted.count.get()) }, Relaxed);
                        counted.lock.leave(Access::Shared, false);
                    }
                    assert_eq!(HELD.get(), 0);
                });
            }
        });
        let writes = (0..4).map(|thread| (0..ROUNDS).filter(|round| (round + thread) % 3 == 0).count() as u64);
        assert_eq!(counted.count.into_inner(), writes.sum());
        assert!(!torn.into_inner());
        assert!(is_settled(&counted.lock));
    }

    #[test]
    fn a_thread_that_would_wait_for_itself_is_refused_and_may_go_on() {
        let lock = Lock::default();
        for (first, second, refusal) in [
            (Access::Exclusive, Access::Exclusive, Refusal::ChangedHere),
            (Access::Exclusive, Access::Shared, Refusal::ChangedHere),
            (Access::Shared, Access::Exclusive, Refusal::ReadHere),
        ] {
            lock.enter(first).unwrap();
            assert_eq!(lock.enter(second), Err(refusal));
            lock.leave(first, false);
            assert!(is_settled(&lock));
        }
    }

    #[test]
    fn what_broke_stays_broken() {
        let lock = Lock::default();
        lock.enter(Access::Exclusive).unwrap();
        lock.leave(Access::Exclusive, true);
        assert_eq!(lock.enter(Access::Shared), Err(Refusal::Broken));
        assert_eq!(lock.enter(Access::Exclusive), Err(Refusal::Broken));
    }

    #[test]
    fn a_circle_is_refused_once() {
        let (a, b) = (Lock::default(), Lock::default());
        let both = std::sync::Barrier::new(2);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads = [(&a, &b), (&b, &a)].map(|(mine, theirs)| {
                let both = &both;
                scope.spawn(move || {
                    mine.enter(Access::Exclusive).unwrap();
                    both.wait();
                    let outcome = theirs.enter(Access::Exclusive);
                    if outcome.is_ok() {
                        theirs.leave(Access::Exclusive, false);
                    }
                    mine.leave(Access::Exclusive, false);
                    outcome
                })
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Err(Refusal::Deadlock)).count(), 1);
        assert!(is_settled(&a) && is_settled(&b));
    }
}
