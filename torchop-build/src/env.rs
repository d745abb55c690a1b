//! The environment that the search reads, and which of its variables had a say.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// True if `TORCHOP_NO_TORCH` asks for a build that needs no libtorch: macros, schemas and documentation can be
/// checked, nothing can be run.
pub fn no_torch() -> bool {
    Env::of_process().is_on("TORCHOP_NO_TORCH")
}

/// Environment variables. It remembers which ones were read: they are what a build script's result depends on.
pub(crate) struct Env {
    vars: BTreeMap<String, OsString>,
    read: RefCell<BTreeSet<&'static str>>,
}

impl Env {
    pub(crate) fn of_process() -> Env {
        Env::new(std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))))
    }

    pub(crate) fn new(vars: impl IntoIterator<Item = (String, OsString)>) -> Env {
        Env { vars: vars.into_iter().collect(), read: RefCell::default() }
    }

    /// The variable's value; an empty one counts as not set.
    pub(crate) fn get(&self, name: &'static str) -> Option<PathBuf> {
        self.read.borrow_mut().insert(name);
        self.vars.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// A switch: on for anything but empty and `0`.
    pub(crate) fn is_on(&self, name: &'static str) -> bool {
        self.get(name).is_some_and(|value| value != Path::new("0"))
    }

    /// The first file of that name on `PATH`.
    pub(crate) fn on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self.get("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
    }

    pub(crate) fn variables_read(&self) -> Vec<&'static str> {
        self.read.borrow().iter().copied().collect()
    }
}
