//! Reads one schema per line and prints `ok\t<printed>` or `err\t<message>`; for `tests/test_against_torch.py`.
//!
//! `\n`, `\r` and `\\` in a line stand for what they escape. With `--as-torch`, reads as `parse_as_torch` does.

use std::io::{self, BufRead, Write};

use torchop_schema::{parse, parse_as_torch};

fn main() -> io::Result<()> {
    let read = if std::env::args().any(|arg| arg == "--as-torch") { parse_as_torch } else { parse };
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let text = unescape(&line?);
        match read(&text) {
            Ok(schema) => writeln!(out, "ok\t{}", escape(&schema.to_string()))?,
            Err(error) => {
                // Drawn too, so that the test runs that code on every mistake.
                let drawn = error.render(&text);
                assert!(text.get(error.span.clone()).is_some() && drawn.lines().count() >= 3, "{drawn}");
                writeln!(out, "err\t{}", escape(&error.to_string()))?;
            }
        }
    }
    out.flush()
}

fn unescape(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push(c),
            },
        }
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}
