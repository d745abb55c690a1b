//! What happens when the library is loaded.
//!
//! The loader calls [`on_load`] once per definition; the first call does the work: gather the link-time entries, check them,
//! register them with torch, and tell Python what only Python can register. Either all of it happens or none of it, as far
//! as torch allows (class types cannot be removed, only emptied).

mod derivatives;
mod foreign;
mod gather;
mod library;
mod python;
mod register;
mod reports;
mod schema_text;
mod sharded;
mod state;

pub use reports::collect;

use crate::error::{Error, Result};
use crate::tell::tell;
use std::panic::catch_unwind;
use std::sync::Once;

/// The load hook.
pub extern "C" fn on_load() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        crate::op::record_locations();
        attempt();
    });
}

/// False after a failure, which is reported.
fn attempt() -> bool {
    match catch_unwind(load) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => report(&error),
        Err(payload) => report(&Error::runtime(format!("loading {}", crate::op::caught(payload)))),
    }
    false
}

fn load() -> Result<()> {
    crate::convert::know_layout()?;
    let entries = gather::gather(crate::registration::REGISTRATIONS.iter())?;
    let registered = register::register(&entries, &library::path())?;
    // It may be that Python is told only once the loader is done with us, so that is the last step.
    python::register(
        &python::Classes::new(&entries),
        &python::Fakes::new(&entries),
        &python::Sharded::new(&entries),
        || {
            registered.keep()?;
            library::pin();
            Ok(())
        },
    )
}

/// An `Err` of `load_library` in Rust, an exception of that in Python, a line on stderr elsewhere; never the end of the process.
fn report(error: &Error) {
    let message = format!("{}: {}", library::path(), error.message());
    if !reports::report(&message) && !python::raise(error.kind(), &message, library::path(), attempt) {
        tell(format_args!("not loaded: {message}"));
    }
}
