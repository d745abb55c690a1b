//! A run in named steps: progress while one runs, a table and a count at the end.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use console::{Term, style};
use indicatif::{ProgressBar, ProgressStyle};

use crate::repo;
use crate::shell::Shell;

/// The error of a run of which a step failed. The table has told which.
#[derive(Debug)]
pub(crate) struct StepsFailed;

impl fmt::Display for StepsFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a step failed")
    }
}

impl std::error::Error for StepsFailed {}

struct Row {
    name: String,
    passed: bool,
    time: Duration,
}

/// The steps of one verb, done one after the other.
pub(crate) struct Steps {
    logs: PathBuf,
    rows: Vec<Row>,
}

impl Steps {
    /// Logs go to `target/xtask/<verb>/`.
    pub(crate) fn new(verb: &str) -> Result<Steps> {
        let logs = repo::target().join("xtask").join(verb);
        std::fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
        Ok(Steps { logs, rows: Vec::new() })
    }

    /// Does one step. A failure is shown at once and counted; the caller decides what can still be done without it.
    pub(crate) fn run<T>(&mut self, name: &str, work: impl FnOnce(&Shell) -> Result<T>) -> Option<T> {
        let start = Instant::now();
        let progress = self.progress(name);
        let slug: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let log = self.logs.join(format!("{:02}-{slug}.log", self.rows.len() + 1));
        let result = Shell::new(progress.clone(), &log).and_then(|shell| work(&shell));
        progress.finish_and_clear();

        let row = Row { name: name.to_owned(), passed: result.is_ok(), time: start.elapsed() };
        println!("{row}");
        self.rows.push(row);
        result.map_err(|error| println!("{error:#}")).ok()
    }

    /// Prints the table and, as the last line, the count.
    pub(crate) fn finish(self) -> Result<()> {
        println!("\n{}", style("steps").bold());
        for row in &self.rows {
            println!("{row}");
        }
        let failed = self.rows.iter().filter(|row| !row.passed).count();
        let total: Duration = self.rows.iter().map(|row| row.time).sum();
        println!("{:>10} in all; logs are in {}", seconds(total), self.logs.display());
        println!("{} passed, {failed} failed", self.rows.len() - failed);
        if failed == 0 { Ok(()) } else { Err(StepsFailed.into()) }
    }

    fn progress(&self, name: &str) -> ProgressBar {
        let number = self.rows.len() + 1;
        if !Term::stderr().is_term() {
            println!("{number:>3}  {name} …");
            return ProgressBar::hidden();
        }
        let progress = ProgressBar::new_spinner();
        if let Ok(template) = ProgressStyle::with_template("{spinner} {prefix} {elapsed:.dim}  {wide_msg:.dim}") {
            progress.set_style(template);
        }
        progress.set_prefix(format!("{number:>2}  {name}"));
        progress.enable_steady_tick(Duration::from_millis(120));
        progress
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.passed { style("ok    ").green() } else { style("FAILED").red().bold() };
        write!(f, "{:>10}  {state}  {}", seconds(self.time), self.name)
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
