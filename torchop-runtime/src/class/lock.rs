//! The lock of an object whose class has methods that change it: many readers or one writer, none of whom wait for ever.
//!
//! A thread that would wait for itself, directly or through others, gets an error instead. While a thread waits it lets go
//! of Python's lock, which the thread that it waits for may need.

use crate::python::without_python_lock;
use smallvec::SmallVec;
use std::cell::Cell;
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
    state: Mutex<State>,
    changed: Condvar,
}

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
    fn current() -> Self {
        HELD.with(|held| Thread(std::ptr::from_ref(held).addr()))
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

    fn holders(&self) -> SmallVec<[Thread; 4]> {
        self.readers.iter().copied().chain(self.writer).collect()
    }
}

impl Lock {
    /// Enters, waiting for others if it must. [`Lock::leave`] is due on this thread.
    #[inline]
    pub(super) fn enter(&self, access: Access) -> Result<(), Refusal> {
        let me = Thread::current();
        let mut state = entered(&self.state);
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
        let mut state = entered(&self.state);
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
            let holders = entered(unsafe { &(*lock).state }).holders();
            if holders.contains(&me) {
                return true;
            }
            next.extend(holders.iter().filter_map(|holder| {
                let (_, waited) = waiting.iter().find(|(thread, _)| thread == holder)?;
                // A thread that has got what it waited for is about to take its entry away.
                // SAFETY: as above.
                let has_it = entered(unsafe { &(*waited.0).state }).holders().contains(holder);
                (!has_it).then_some(waited.0)
            }));
        }
        false
    }

    /// Gives back what [`Lock::enter`] gave to this thread. `broken`: a method panicked while it changed the object.
    #[inline]
    pub(super) fn leave(&self, access: Access, broken: bool) {
        let me = Thread::current();
        let mut state = entered(&self.state);
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
        drop(state);
        HELD.set(HELD.get() - 1);
        if wake {
            self.changed.notify_all();
        }
    }
}
