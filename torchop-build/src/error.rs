//! The one message of a search that found nothing to build with.

use std::fmt::{self, Write as _};

use crate::search::{Attempt, Source};
use crate::version::{NEWEST, supported};

/// No torch that torchop can use. It prints what was looked for, in order, and the commands that repair it.
#[derive(Clone, Debug)]
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn new(attempts: Vec<Attempt>, has_python: bool) -> Error {
        let mut message = format!("torchop needs torch {}; looked for, in order:\n", supported());
        for Attempt { source, finding } in &attempts {
            // The source as a column: the longest is 15 wide. Writing into a String cannot fail.
            let _ = writeln!(message, "    {:<17}{finding}", source.to_string());
        }
        // A variable that was set decided alone: the repair starts there.
        match attempts.last().map(|attempt| attempt.source) {
            Some(variable @ (Source::TorchopPython | Source::Libtorch)) => {
                let _ = writeln!(message, "{variable} is set, so the search ended there\n");
            }
            _ => message.push('\n'),
        }
        message.push_str("to repair it, one of\n");
        let pip = if has_python { "python3 -m pip" } else { "pip" };
        let _ = writeln!(message, "    {pip} install torch=={NEWEST}");
        let _ = writeln!(message, "    export TORCHOP_PYTHON=/path/to/python      # a Python that has torch");
        let _ = writeln!(
            message,
            "    export LIBTORCH=/path/to/libtorch          # a folder with torch's include/ and lib/"
        );
        if attempts.iter().any(|attempt| attempt.source == Source::Libtorch && attempt.finding != "not set") {
            let _ = writeln!(
                message,
                "    export LIBTORCH_USE_PYTORCH=1              # the active Python's torch, whatever LIBTORCH says"
            );
        }
        message.push_str("what needs no libtorch is checked with\n    TORCHOP_NO_TORCH=1 cargo check");
        Error { message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
