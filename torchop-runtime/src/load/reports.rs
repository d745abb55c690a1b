//! Failed loads, told to the Rust program that opens the library: a load hook returns nothing, and there is no Python to raise in.
//!
//! One collector for the process, whichever library brought it: what fails is another library than the one that asks.

use super::library;
use crate::error::{OrTorch, Result};
use std::cell::RefCell;
use std::sync::OnceLock;
use torchop_sys::ffi;

/// How a library reaches the collector of another. A change of it changes [`NAME`].
#[repr(C)]
struct Collector {
    begin: unsafe extern "C" fn(),
    report: unsafe extern "C" fn(text: *const u8, length: usize) -> bool,
    end:
        unsafe extern "C" fn(context: *mut Vec<String>, each: unsafe extern "C" fn(*mut Vec<String>, *const u8, usize)),
}

const NAME: &str = "load_reports_v1";

static OWN: Collector = Collector { begin: own_begin, report: own_report, end: own_end };

thread_local! {
    /// What failed on this thread since it began to collect.
    static REPORTS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

unsafe extern "C" fn own_begin() {
    REPORTS.set(Some(Vec::new()));
}

unsafe extern "C" fn own_report(text: *const u8, length: usize) -> bool {
    // SAFETY: the caller gives the bytes of a live `str`.
    let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, length) }).into_owned();
    REPORTS.with_borrow_mut(|reports| reports.as_mut().map(|reports| reports.push(text))).is_some()
}

unsafe extern "C" fn own_end(
    context: *mut Vec<String>,
    each: unsafe extern "C" fn(*mut Vec<String>, *const u8, usize),
) {
    for text in REPORTS.take().unwrap_or_default() {
        // SAFETY: the caller's function and what it takes.
        unsafe { each(context, text.as_ptr(), text.len()) }
    }
}

fn collector() -> Result<&'static Collector> {
    static SHARED: OnceLock<&Collector> = OnceLock::new();
    if let Some(shared) = SHARED.get() {
        return Ok(shared);
    }
    library::pin(); // others may find `OWN` from now on
    let address = ffi::process_wide(NAME, &raw const OWN as usize).or_torch()?;
    // SAFETY: under this name libraries enter the address of their `OWN`, of this layout, and are never unmapped.
    Ok(SHARED.get_or_init(|| unsafe { &*(address as *const Collector) }))
}

/// True if the program that opens this library on this thread is told.
pub(super) fn report(text: &str) -> bool {
    // SAFETY: the bytes of a live `str`.
    collector().is_ok_and(|collector| unsafe { (collector.report)(text.as_ptr(), text.len()) })
}

/// Runs `open`, and gives what load hooks that ran meanwhile on this thread failed with.
pub fn collect<T>(open: impl FnOnce() -> T) -> Result<(T, Vec<String>)> {
    unsafe extern "C" fn push(reports: *mut Vec<String>, text: *const u8, length: usize) {
        // SAFETY: the vector below, and the bytes of a live `str`.
        unsafe { (*reports).push(String::from_utf8_lossy(std::slice::from_raw_parts(text, length)).into_owned()) }
    }
    let collector = collector()?;
    let mut reports = Vec::new();
    // SAFETY: needs nothing.
    unsafe { (collector.begin)() };
    let opened = open();
    // SAFETY: the function takes this vector.
    unsafe { (collector.end)(&raw mut reports, push) };
    Ok((opened, reports))
}
