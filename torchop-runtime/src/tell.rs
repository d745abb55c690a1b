//! What there is nobody to give an error to.

use std::fmt::Display;
use std::io::Write as _;

/// A line on stderr. Where nothing can be written it is lost: `eprintln!` would panic, and callers have nobody to catch it.
pub(crate) fn tell(what: impl Display) {
    let _ = writeln!(std::io::stderr(), "torchop: {what}");
}
