//! A Rust value as torch's objects hold it, and the two ways to borrow it.

use super::Class;
use super::lock::{Access, Lock, Refusal};
use crate::error::Error;
use crate::registration::ClassDef;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether methods of a class change its objects: said at load, before any object is made.
#[derive(Debug, Default)]
pub struct Changes(AtomicBool);

impl Changes {
    /// Not that we know.
    pub const fn new() -> Self {
        Changes(AtomicBool::new(false))
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Relaxed);
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What a script object's holder points to.
#[derive(Debug)]
pub(super) struct Held<T> {
    /// Only where methods change the object: others pay nothing.
    lock: Option<Box<Lock>>,
    value: UnsafeCell<T>,
}

// SAFETY: `&T` is handed out on any thread (T is Sync), `&mut T` under an exclusive lock alone (T is Send).
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T: Class> Held<T> {
    pub(super) fn new(value: T) -> Self {
        Held { lock: T::DEF.changes.get().then(Box::default), value: UnsafeCell::new(value) }
    }

    /// A reading that ends with the guard.
    pub(super) fn shared(&self) -> Result<(&T, Option<Reading>), Error> {
        let reading = match &self.lock {
            None => None,
            Some(lock) => {
                lock.enter(Access::Shared).map_err(|refusal| refused(T::DEF, refusal))?;
                Some(Reading(&raw const **lock))
            }
        };
        // SAFETY: without a lock nobody ever has `&mut T` (see `exclusive`); with one, nobody has while it is entered.
        Ok((unsafe { &*self.value.get() }, reading))
    }

    /// The one way to change the value.
    pub(super) fn exclusive(&self) -> Result<Changing<'_, T>, Error> {
        let Some(lock) = &self.lock else { return Err(unchangeable(T::DEF)) };
        lock.enter(Access::Exclusive).map_err(|refusal| refused(T::DEF, refusal))?;
        Ok(Changing { lock, value: &self.value, panicking: std::thread::panicking() })
    }
}

/// Somebody reads an object, on this thread, until this is dropped.
#[derive(Debug)]
pub(crate) struct Reading(*const Lock);

impl Drop for Reading {
    fn drop(&mut self) {
        // SAFETY: whoever keeps this keeps the object (the call's arguments, or a `TorchRef`), and so its lock.
        unsafe { &*self.0 }.leave(Access::Shared, false);
    }
}

/// An object that this thread alone has, until this is dropped.
#[derive(Debug)]
pub struct Changing<'s, T> {
    lock: &'s Lock,
    value: &'s UnsafeCell<T>,
    /// Whether a panic was under way already.
    panicking: bool,
}

impl<T> Deref for Changing<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: entered exclusively: nobody else has a reference.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for Changing<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.value.get() }
    }
}

impl<T> Drop for Changing<'_, T> {
    fn drop(&mut self) {
        self.lock.leave(Access::Exclusive, !self.panicking && std::thread::panicking());
    }
}

#[cold]
fn refused(class: &ClassDef, refusal: Refusal) -> Error {
    let name = class.name;
    Error::runtime(match refusal {
        Refusal::ChangedHere => format!(
            "this `{name}` object is being changed by a method further up in this call (`&mut self`), which it cannot be used by on the way; \
             let that method return first"
        ),
        Refusal::ReadHere => format!(
            "this `{name}` object is in use by a method further up in this call, so it cannot be changed (`&mut self`) on the way; \
             let that method return first"
        ),
        Refusal::Deadlock => format!(
            "waiting for this `{name}` object would never end: another thread has it, and waits for an object that this thread has"
        ),
        Refusal::Broken => format!(
            "a method of this `{name}` object panicked while it changed it (`&mut self`), so its state may be half done; make a new one"
        ),
    })
}

#[cold]
fn unchangeable(class: &ClassDef) -> Error {
    Error::runtime(format!(
        "`{}` objects cannot be changed: the class has no method, setter or settable field that takes `&mut self`",
        class.name
    ))
}
