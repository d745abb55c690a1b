//! A file that failed to load, loaded again.
//!
//! Python never closes what it opened, so the loader runs no constructor the next time: the load would succeed without a word, and
//! nothing would be there. An audit hook, set after the failure, sees that Python is about to open the file and does the load anew.

use super::interpreter::{Interpreter, Object, State};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// What a failed load left to do.
struct Failed {
    path: String,
    waiting: AtomicBool,
    load: fn() -> bool,
}

static FAILED: OnceLock<Failed> = OnceLock::new();

/// Loads anew by `load` when Python opens the file at `path` the next time. It gives false, with a Python exception set, if the load
/// fails again. Needs Python's lock.
pub(super) fn watch(python: &Interpreter, path: String, load: fn() -> bool) {
    let mut is_new = false;
    let failed = FAILED.get_or_init(|| {
        is_new = true;
        Failed { path, waiting: AtomicBool::new(true), load }
    });
    failed.waiting.store(true, SeqCst);
    if is_new {
        crate::load::library::pin();
        python.add_audit_hook(hook);
    }
}

/// # Safety
/// Called by Python with its lock held, or not at all; `event` is a C string, `arguments` a tuple.
unsafe extern "C" fn hook(event: *const c_char, arguments: Object, _: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    if unsafe { CStr::from_ptr(event) } != c"ctypes.dlopen" {
        return 0;
    }
    let again = std::panic::catch_unwind(|| {
        let (Some(failed), Some((python, State::HoldsLock))) = (FAILED.get(), Interpreter::find()) else { return true };
        // SAFETY: the lock is held, and the arguments are a live tuple.
        let opened = unsafe { python.text_of_first(arguments) };
        let is_ours = opened.is_some_and(|opened| {
            std::fs::canonicalize(&opened)
                .map_or(opened == failed.path, |absolute| absolute.as_os_str() == failed.path.as_str())
        });
        !is_ours || !failed.waiting.swap(false, SeqCst) || (failed.load)()
    });
    // A panic cannot come from the load, which catches its own; without an exception Python would complain.
    if again.unwrap_or(true) { 0 } else { -1 }
}
