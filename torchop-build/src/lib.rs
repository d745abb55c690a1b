//! Finds libtorch, its version and ABI, for build scripts and tools.
//!
//! [`find`] looks at these places in this order; the first that is named or has a torch decides:
//!
//! 1. `TORCHOP_PYTHON`: an interpreter, by path or by its name on `PATH`: the torch package of that Python.
//! 2. `LIBTORCH`: a folder with `include/` and `lib/`: an unpacked libtorch (no Python needed) or a torch package folder.
//!    `LIBTORCH_USE_PYTORCH=1` passes over it.
//! 3. The active Python: that of `VIRTUAL_ENV`, then of `CONDA_PREFIX`, then `python3` and `python` on `PATH`.
//!
//! Torch is never imported, which takes seconds: the interpreter says where its package is, files say the rest.
//!
//! The body of a build script that compiles C++ against torch is
//!
//! ```no_run
//! if torchop_build::no_torch() {
//!     return; // checked without libtorch: nothing to compile, nothing to link
//! }
//! let torch = torchop_build::torch_or_exit();
//! // … compile with `torch.cxx_flags()` …
//! torchop_build::link(&torch);
//! ```

mod env;
mod error;
mod package;
mod python;
mod script;
mod search;
mod version;

pub use env::no_torch;
pub use error::Error;
pub use package::Torch;
pub use script::{link, link_program, torch_or_exit};
pub use search::{Source, find};
pub use version::{NEWEST, OLDEST, Version};
