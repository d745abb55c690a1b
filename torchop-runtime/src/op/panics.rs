//! Panics of users' functions, with their places.

use crate::error::Error;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// The place and the text of this thread's last panic.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

thread_local! {
    /// The error that this thread's last panic by [`raise`] was about.
    static RAISED: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Panics with an error's text. Where the panic reaches an operator's border, it is that error again.
#[cold]
#[track_caller]
#[allow(clippy::panic, reason = "for operators, which cannot return a `Result`")]
pub(crate) fn raise(error: Error) -> ! {
    let text = error.message().to_owned();
    // A thread that is ending has no place to keep it.
    let _ = RAISED.try_with(|raised| *raised.borrow_mut() = Some(error));
    panic!("{text}")
}

/// The error that a panic stands for, if it is one by [`raise`].
pub(super) fn raised(payload: &(dyn Any + Send)) -> Option<Error> {
    let error = RAISED.try_with(|raised| raised.borrow_mut().take()).ok().flatten()?;
    (error.message() == text_of(payload)).then_some(error)
}

/// From now on the place of a panic is known to [`caught`]. The hook that was there before still runs.
pub(crate) fn record_locations() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|at| (format!("{}:{}", at.file(), at.line()), text_of(info.payload())));
        // A thread that is ending has no place to keep it.
        let _ = LAST.try_with(|last| *last.borrow_mut() = place);
        previous(info);
    }));
}

/// Drops what `catch_unwind` gave. Its own Drop may panic, and so may that of what it panics with: who goes on with that is left alone.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    let mut next = payload;
    for _ in 0..4 {
        match panic::catch_unwind(AssertUnwindSafe(|| drop(next))) {
            Ok(()) => return,
            Err(again) => next = again,
        }
    }
    std::mem::forget(next);
}

/// The place and the text of a panic that `catch_unwind` gave.
pub(crate) fn caught(payload: Box<dyn Any + Send>) -> String {
    let last = LAST.try_with(|last| last.borrow_mut().take()).ok().flatten();
    let text = text_of(&*payload);
    // `resume_unwind` runs no hook: what is remembered then is another panic, which somebody caught.
    let place = last.filter(|(_, of)| *of == text).map(|(place, _)| place);
    discard(payload);
    match place {
        Some(place) => format!("panicked at {place}: {text}"),
        None => format!("panicked: {text}"),
    }
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(no text)".into())
}
