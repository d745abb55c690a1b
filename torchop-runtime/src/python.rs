//! Python's lock, for threads that have to wait. CPython is found by `dlsym`, never linked.

use std::ffi::{CStr, c_int, c_void};

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated name.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

struct Functions {
    is_initialized: unsafe extern "C" fn() -> c_int,
    holds_lock: unsafe extern "C" fn() -> c_int,
    save_thread: unsafe extern "C" fn() -> *mut c_void,
    restore_thread: unsafe extern "C" fn(*mut c_void),
}

impl Functions {
    fn find() -> Option<Self> {
        let (is_initialized, holds_lock) = (symbol(c"Py_IsInitialized")?, symbol(c"PyGILState_Check")?);
        let (save_thread, restore_thread) = (symbol(c"PyEval_SaveThread")?, symbol(c"PyEval_RestoreThread")?);
        // SAFETY: CPython exports the functions under these names with these types, in every version we support.
        unsafe {
            Some(Functions {
                is_initialized: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(is_initialized),
                holds_lock: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(holds_lock),
                save_thread: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut c_void>(save_thread),
                restore_thread: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(restore_thread),
            })
        }
    }
}

/// Takes Python's lock again when dropped.
struct Released {
    restore_thread: unsafe extern "C" fn(*mut c_void),
    thread: *mut c_void,
}

impl Drop for Released {
    fn drop(&mut self) {
        // Python ends threads that come back while it shuts down, by unwinding, which Rust's frames do not allow. So such a
        // thread stays where it is, as newer Pythons have it anyway; the process ends without it.
        if is_finalizing() {
            loop {
                std::thread::park();
            }
        }
        // SAFETY: the state that `PyEval_SaveThread` gave to this thread, given back once.
        unsafe { (self.restore_thread)(self.thread) }
    }
}

fn is_finalizing() -> bool {
    let address = symbol(c"Py_IsFinalizing").or_else(|| symbol(c"_Py_IsFinalizing"));
    address.is_some_and(|address| {
        // SAFETY: CPython exports it under one of these names, with this type, in every version we support; it may be called
        // from any thread.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(address)() != 0 }
    })
}

/// Does something that may take long, or that another thread may need Python's lock for, without Python's lock: it is let go
/// of meanwhile if this thread has it. Nothing happens in a process without Python.
pub(crate) fn without_python_lock<T>(wait: impl FnOnce() -> T) -> T {
    let _released = Functions::find().and_then(|python| {
        // SAFETY: both may be called from any thread, the second once Python is initialised.
        let holds = unsafe { (python.is_initialized)() != 0 && (python.holds_lock)() != 0 };
        holds.then(|| Released {
            restore_thread: python.restore_thread,
            // SAFETY: this thread has the lock.
            thread: unsafe { (python.save_thread)() },
        })
    });
    wait()
}
