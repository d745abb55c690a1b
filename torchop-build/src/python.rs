//! Asks a Python interpreter where its torch package is, without importing it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The empty entry of `sys.path` is the folder in which the build happens to run: a `torch` there is none.
/// The first line marks our output, since a `sitecustomize` may print too.
const SCRIPT: &str = "
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import importlib.util
spec = importlib.util.find_spec('torch')
origin = spec.origin if spec is not None and spec.has_location else None
print('torchop-build', '.'.join(map(str, sys.version_info[:3])), origin or '', sep='\\n')
";

/// What an interpreter answered.
pub(crate) struct Answer {
    /// `3.11.7`.
    pub(crate) version: String,
    /// The folder of its torch package.
    pub(crate) torch: Option<PathBuf>,
}

/// The error is one line that says why there is no answer.
pub(crate) fn ask(interpreter: &Path) -> Result<Answer, String> {
    let output = Command::new(interpreter)
        .args(["-c", SCRIPT])
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", interpreter.display()))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut lines = stdout.lines().skip_while(|line| *line != "torchop-build").skip(1);
    match (output.status.success(), lines.next(), lines.next()) {
        (true, Some(version), Some(origin)) => Ok(Answer {
            version: version.to_owned(),
            torch: Path::new(origin).parent().filter(|_| !origin.is_empty()).map(Path::to_owned),
        }),
        _ => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let reason = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
            Err(format!("{} is not a Python that answers ({}): {reason}", interpreter.display(), output.status))
        }
    }
}
