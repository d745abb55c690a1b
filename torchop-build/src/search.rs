//! The places where torch is looked for, in order.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::Error;
use crate::package::Torch;
use crate::python;

/// How a torch was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The Python that `TORCHOP_PYTHON` names.
    TorchopPython,
    /// The folder that `LIBTORCH` names.
    Libtorch,
    /// The Python of the active virtual environment.
    VirtualEnv,
    /// The Python of the active conda environment.
    Conda,
    /// `python3` on `PATH`.
    Python3,
    /// `python` on `PATH`.
    Python,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::TorchopPython => "TORCHOP_PYTHON",
            Source::Libtorch => "LIBTORCH",
            Source::VirtualEnv => "VIRTUAL_ENV",
            Source::Conda => "CONDA_PREFIX",
            Source::Python3 => "python3 on PATH",
            Source::Python => "python on PATH",
        })
    }
}

/// One place, and why it gave no torch.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) source: Source,
    pub(crate) finding: String,
}

/// Finds the torch to build against, or says all that was looked for.
pub fn find() -> Result<Torch, Error> {
    find_in(&Env::of_process())
}

pub(crate) fn find_in(env: &Env) -> Result<Torch, Error> {
    let mut search = Search { env, attempts: Vec::new(), interpreters: Vec::new() };
    match search.run() {
        Some(torch) if torch.version.is_too_old() => {
            search.miss(torch.source, format!("{} is torch {}, which is too old", torch.root.display(), torch.version));
            Err(search.into_error())
        }
        Some(torch) => Ok(Torch { variables: env.variables_read(), ..torch }),
        None => Err(search.into_error()),
    }
}

struct Search<'a> {
    env: &'a Env,
    attempts: Vec<Attempt>,
    /// Those that were asked, so that `VIRTUAL_ENV` and `PATH` do not ask the same one twice.
    interpreters: Vec<(Option<PathBuf>, Option<PathBuf>)>,
}

impl Search<'_> {
    fn run(&mut self) -> Option<Torch> {
        match self.env.get("TORCHOP_PYTHON") {
            Some(named) => return self.named_python(&named),
            None => self.miss(Source::TorchopPython, "not set"),
        }
        match self.env.get("LIBTORCH") {
            Some(_) if self.env.is_on("LIBTORCH_USE_PYTORCH") => {
                self.miss(Source::Libtorch, "passed over, since LIBTORCH_USE_PYTORCH is set");
            }
            Some(root) => return self.libtorch(&root),
            None => self.miss(Source::Libtorch, "not set"),
        }
        for (source, variable) in [(Source::VirtualEnv, "VIRTUAL_ENV"), (Source::Conda, "CONDA_PREFIX")] {
            let Some(prefix) = self.env.get(variable) else {
                self.miss(source, "not set");
                continue;
            };
            if let Some(torch) = self.python(source, &prefix.join("bin/python")) {
                return Some(torch);
            }
        }
        for (source, program) in [(Source::Python3, "python3"), (Source::Python, "python")] {
            let Some(interpreter) = self.env.on_path(program) else {
                self.miss(source, "there is none");
                continue;
            };
            if let Some(torch) = self.python(source, &interpreter) {
                return Some(torch);
            }
        }
        None
    }

    /// A bare name is looked up as a shell would; a relative path would mean another file in each crate's build.
    fn named_python(&mut self, named: &Path) -> Option<Torch> {
        let is_bare_name = named.components().count() == 1 && named.is_relative();
        let interpreter = match named.to_str().filter(|_| is_bare_name) {
            Some(name) => self.env.on_path(name),
            None => Some(named.to_owned()),
        };
        match interpreter {
            Some(path) if path.is_absolute() => self.python(Source::TorchopPython, &path),
            Some(path) => {
                self.miss(
                    Source::TorchopPython,
                    format!("{} is a relative path; write an absolute one", path.display()),
                );
                None
            }
            None => {
                self.miss(Source::TorchopPython, format!("there is no `{}` on PATH", named.display()));
                None
            }
        }
    }

    fn libtorch(&mut self, root: &Path) -> Option<Torch> {
        if root.is_relative() {
            self.miss(Source::Libtorch, format!("{} is a relative path; write an absolute one", root.display()));
            return None;
        }
        if !root.is_dir() {
            self.miss(Source::Libtorch, format!("there is no folder {}", root.display()));
            return None;
        }
        self.read(root, Source::Libtorch, None)
    }

    fn python(&mut self, source: Source, interpreter: &Path) -> Option<Torch> {
        if !interpreter.is_file() {
            self.miss(source, format!("there is no {}", interpreter.display()));
            return None;
        }
        let identity = identity(interpreter);
        if self.interpreters.contains(&identity) {
            self.miss(source, format!("{}: the same Python again", interpreter.display()));
            return None;
        }
        self.interpreters.push(identity);
        match python::ask(interpreter) {
            Ok(python::Answer { torch: Some(root), .. }) => self.read(&root, source, Some(interpreter.to_owned())),
            Ok(python::Answer { version, torch: None }) => {
                self.miss(source, format!("{} (Python {version}) has no torch", interpreter.display()));
                None
            }
            Err(reason) => {
                self.miss(source, reason);
                None
            }
        }
    }

    fn read(&mut self, root: &Path, source: Source, python: Option<PathBuf>) -> Option<Torch> {
        Torch::read(root, source, python).map_err(|reason| self.miss(source, reason)).ok()
    }

    fn miss(&mut self, source: Source, finding: impl Into<String>) {
        self.attempts.push(Attempt { source, finding: finding.into() });
    }

    fn into_error(self) -> Error {
        Error::new(self.attempts, self.env.on_path("python3").is_some())
    }
}

/// The file behind the links, and the folder that named it: a virtual environment's links lead to the Python that made it.
fn identity(interpreter: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    (interpreter.parent().and_then(|folder| folder.canonicalize().ok()), interpreter.canonicalize().ok())
}

#[cfg(test)]
mod tests;
