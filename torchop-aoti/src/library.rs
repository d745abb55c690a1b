//! Operator libraries, by path.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use torchop_runtime::{Error, Result, host};

/// Opens a library of operators and classes, made with torchop or in C++, as `torch.ops.load_library` does. It stays open.
///
/// Its code is trusted as the program's own is: opening a library runs it.
///
/// # Errors
/// The loader's, with the path; what the library could not register, if it was made with torchop. The names of a library that failed
/// are not there; opening the same file again does nothing.
pub fn load_library(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let name = CString::new(path.as_os_str().as_bytes())?;
    let (handle, reports) = host::collect_load_reports(|| {
        // SAFETY: a NUL-terminated path. What the library's constructors do is theirs, see above.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(());
        }
        // SAFETY: after a failure of this thread's; the text is copied before any other call.
        let text = unsafe { libc::dlerror() };
        // SAFETY: null or a NUL-terminated text.
        Err(if text.is_null() { "".into() } else { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() })
    })?;
    if let Err(text) = handle {
        return Err(Error::runtime(format!("cannot open `{}`: {text}", path.display())));
    }
    if reports.is_empty() {
        return Ok(());
    }
    Err(Error::runtime(format!("`{}` is not loaded: {}", path.display(), reports.join("; "))))
}
