//! What is wrong with a schema, where, and what to write instead.

use std::fmt;
use std::ops::Range;

/// A schema that cannot be read.
///
/// Messages follow one form: lower case, no final full stop, code in backticks, what was found before what was
/// expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The bytes of the schema text that are wrong. Empty at the end of the text when something is missing there.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where there is something to say.
    pub help: Option<String>,
}

impl SchemaError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        SchemaError { span, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The schema on one line, a row of `^` under the span, and the help.
    ///
    /// `text` is the text that was parsed. Line breaks and other control characters in it show as spaces.
    ///
    /// ```
    /// let text = "my_ops::f(int32 x) -> ()";
    /// let error = torchop_schema::parse(text).unwrap_err();
    /// assert_eq!(
    ///     error.render(text),
    ///     "unknown type `int32`\n\
    ///      | my_ops::f(int32 x) -> ()\n\
    ///      |           ^^^^^\n\
    ///      help: write `int`"
    /// );
    /// ```
    pub fn render(&self, text: &str) -> String {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let width = |until: usize| text.char_indices().take_while(|(at, _)| *at < until).count();
        let start = width(self.span.start);
        let carets = width(self.span.end).saturating_sub(start).max(1);
        let mut out = format!("{}\n| {line}\n| {}{}", self.message, " ".repeat(start), "^".repeat(carets));
        if let Some(help) = &self.help {
            out.push_str("\nhelp: ");
            out.push_str(help);
        }
        out
    }
}

/// The message, and the help after a semicolon.
impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SchemaError {}

#[cfg(test)]
mod tests {
    use super::SchemaError;

    #[test]
    fn carets_count_characters_not_bytes() {
        let text = "é\tx";
        let error = SchemaError::new(3..4, "wrong").help("write `y`");
        assert_eq!(error.render(text), "wrong\n| é x\n|   ^\nhelp: write `y`");
        assert_eq!(error.to_string(), "wrong; write `y`");
    }

    #[test]
    fn an_empty_span_still_shows() {
        assert_eq!(SchemaError::new(1..1, "wrong").render("a"), "wrong\n| a\n|  ^");
    }

    #[test]
    fn a_span_beyond_the_text_does_not_panic() {
        assert_eq!(SchemaError::new(7..9, "wrong").render("a"), "wrong\n| a\n|  ^");
    }
}
