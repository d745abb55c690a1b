//! The file that this code was loaded from.

use std::ffi::CStr;

fn address_info() -> Option<libc::Dl_info> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let address = super::on_load as *const () as *const libc::c_void;
    // SAFETY: dladdr writes `info` if it returns non-zero; all-zero is a valid Dl_info otherwise.
    let found = unsafe { libc::dladdr(address, info.as_mut_ptr()) };
    // SAFETY: initialised, see above.
    let info = unsafe { info.assume_init() };
    (found != 0 && !info.dli_fname.is_null()).then_some(info)
}

/// The file's path, as the loader was given it; made absolute if it is not.
pub(super) fn path() -> String {
    let Some(info) = address_info() else { return "an unknown library".into() };
    // SAFETY: dladdr gives a NUL-terminated string that lives as long as the library.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    std::fs::canonicalize(&path).map_or(path, |absolute| absolute.to_string_lossy().into_owned())
}

/// Keeps the library mapped for ever: torch holds pointers into it, and `dlclose` in a C++ host would leave them dangling.
pub(super) fn pin() {
    if let Some(info) = address_info() {
        // SAFETY: a NUL-terminated path; NOLOAD finds what is loaded already and runs no constructor. For the main program
        // there is nothing to find, and nothing to pin.
        unsafe { libc::dlopen(info.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}
