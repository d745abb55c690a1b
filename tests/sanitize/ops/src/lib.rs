//! What `cargo xtask sanitize` runs beside the example and the test operators.

mod faults;
mod objects;
mod sound;
