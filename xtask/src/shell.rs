//! Runs the commands of one step: their output goes to the step's log, the last line of it to the terminal.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;

/// Lines of a failed command's output that are shown.
const SHOWN: usize = 25;

/// What a step's commands run in.
pub(crate) struct Shell {
    progress: ProgressBar,
    log: PathBuf,
}

impl Shell {
    /// Starts the log anew.
    pub(crate) fn new(progress: ProgressBar, log: &Path) -> Result<Shell> {
        File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        Ok(Shell { progress, log: log.to_owned() })
    }

    /// Shows a line under the step, to stay.
    pub(crate) fn say(&self, line: &str) {
        self.progress.suspend(|| println!("      {line}"));
    }

    /// Runs a command and gives its output. Lines that begin with `- ` are meant for the person who looks on.
    pub(crate) fn run(&self, command: &mut Command) -> Result<String> {
        let mut log = OpenOptions::new().append(true).open(&self.log)?;
        writeln!(log, "$ {}", shown(command))?;
        let (output, input) = pipe()?;
        command.stdin(std::process::Stdio::null()).stdout(input.try_clone()?).stderr(input);
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", shown(command)))?;
        // The command holds our end of the pipe too: without this the reader would wait forever.
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());

        let mut text = String::new();
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).trim_end().to_owned();
            writeln!(log, "{line}")?;
            match line.strip_prefix("- ") {
                Some(said) => self.say(said),
                None => self.progress.set_message(line.chars().take(100).collect::<String>()),
            }
            text.push_str(&line);
            text.push('\n');
        }
        let status = child.wait()?;
        if !status.success() {
            let lines: Vec<&str> = text.lines().collect();
            let last = lines[lines.len().saturating_sub(SHOWN)..].join("\n");
            bail!("`{}`: {status}; its last lines:\n{last}\nall of it: {}", shown(command), self.log.display());
        }
        Ok(text)
    }
}

/// The command as one would type it, with the variables that it sets.
fn shown(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)))
        .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    variables.chain(words.map(|word| word.to_string_lossy().into_owned())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> (Result<String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let shell = Shell::new(ProgressBar::hidden(), &log).unwrap();
        let result = shell.run(Command::new("sh").args(["-c", script]).env("NAME", "value"));
        (result, std::fs::read_to_string(log).unwrap())
    }

    #[test]
    fn output_and_errors_come_back_in_order_and_go_to_the_log() {
        let (result, log) = sh("echo $NAME; echo two >&2; printf three");
        assert_eq!(result.unwrap(), "value\ntwo\nthree\n");
        assert_eq!(log, "$ NAME=value sh -c echo $NAME; echo two >&2; printf three\nvalue\ntwo\nthree\n");
    }

    #[test]
    fn a_failure_shows_the_last_lines_and_where_the_rest_is() {
        let (result, _) = sh("for i in $(seq 100); do echo line $i; done; exit 3");
        let error = result.unwrap_err().to_string();
        assert!(error.contains("exit status: 3; its last lines:\nline 76\nline 77\n"), "{error}");
        assert!(error.contains("line 100\nall of it: "), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let shell =
            Shell::new(ProgressBar::hidden(), &tempfile::NamedTempFile::new().unwrap().path().with_extension("log"));
        let error = shell.unwrap().run(&mut Command::new("no-such-program")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program`");
    }
}
