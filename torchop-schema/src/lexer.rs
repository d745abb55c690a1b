//! Text to tokens, by the rules of torch's lexer.
//!
//! Torch reads schemas with the lexer of TorchScript, which is Python's in the small: Python keywords are not
//! identifiers, `#` starts a comment, a line break outside brackets is a token, and indentation counts.

use std::ops::Range;

use crate::error::SchemaError;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Ident,
    Number,
    Str,
    True,
    False,
    None,
    NoneType,
    /// `->`
    Arrow,
    /// `...`
    Dots,
    /// A character that stands for itself.
    Punct(u8),
    /// A Python keyword.
    Keyword,
    /// An operator of Python's that has no meaning in a schema.
    Operator,
    /// A line break outside brackets, at the same indentation.
    Newline,
    /// A line break outside brackets that changes the indentation.
    Indent,
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Range<usize>,
}

const PUNCTUATION: &[u8] = b"+-*/%@()[]:,={}><.?!&^|~";

/// Longest first where one is the start of another does not matter: the longest match is taken.
const WORDS: &[(&str, TokenKind)] = &[
    ("True", TokenKind::True),
    ("False", TokenKind::False),
    ("None", TokenKind::None),
    ("NoneType", TokenKind::NoneType),
    ("->", TokenKind::Arrow),
    ("...", TokenKind::Dots),
];

const KEYWORDS: &[&str] = &[
    "def", "if", "else", "elif", "while", "return", "is", "is not", "and", "or", "not", "global", "for", "in",
    "not in", "raise", "assert", "break", "continue", "del", "pass", "class", "import", "with", "as", "Ellipsis",
];

const OPERATORS: &[&str] = &[
    "<=>", "!=", "==", "<=", ">=", "//", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=",
    "**=", "**", "# type:",
];

/// All tokens of `text`; the last is [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, SchemaError> {
    let mut lexer = Lexer { text, at: 0, nesting: 0, indents: Vec::new(), out: Vec::new() };
    let (_, margin) = lexer.next_raw(true)?;
    lexer.indents.push(margin.len());
    while lexer.step()? {}
    Ok(lexer.out)
}

/// A token before indentation is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raw {
    Token(TokenKind),
    /// The white space that starts a line.
    Margin,
    /// As `Margin`, when nothing follows.
    LastMargin,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Open brackets. Wraps below zero as torch's does; such a text is refused by the parser.
    nesting: usize,
    indents: Vec<usize>,
    out: Vec<Token>,
}

impl Lexer<'_> {
    /// Reads one token; false after the last.
    fn step(&mut self) -> Result<bool, SchemaError> {
        let (raw, span) = self.next_raw(false)?;
        let kind = match raw {
            Raw::Token(kind) => kind,
            Raw::Margin | Raw::LastMargin => {
                let first = self.indents.first().copied().unwrap_or(0);
                let current = self.indents.last().copied().unwrap_or(0);
                let depth = if raw == Raw::LastMargin { first } else { span.len() };
                if depth == current { TokenKind::Newline } else { TokenKind::Indent }
            }
        };
        match kind {
            TokenKind::Punct(b'(' | b'[' | b'{') => self.nesting = self.nesting.wrapping_add(1),
            TokenKind::Punct(b')' | b']' | b'}') => self.nesting = self.nesting.wrapping_sub(1),
            _ => {}
        }
        self.out.push(Token { kind, span });
        Ok(kind != TokenKind::End)
    }

    fn next_raw(&mut self, mut margin: bool) -> Result<(Raw, Range<usize>), SchemaError> {
        let bytes = self.text.as_bytes();
        let in_brackets = self.nesting > 0;
        let mut start;
        loop {
            start = self.at;
            while bytes.get(self.at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)) {
                self.at += 1;
            }
            let rest = &bytes[self.at..];
            if rest.first() == Some(&b'#') && !rest.starts_with(b"# type:") {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"\\\n") && !margin {
                self.at += 2;
            } else if rest.first() == Some(&b'\n') {
                self.at += 1;
                margin = !in_brackets;
            } else {
                break;
            }
        }
        let rest = &self.text[self.at..];
        if margin {
            let raw = if rest.is_empty() { Raw::LastMargin } else { Raw::Margin };
            return Ok((raw, start..self.at));
        }
        let (kind, length) = if rest.is_empty() { (TokenKind::End, 0) } else { self.token(rest)? };
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok((Raw::Token(kind), span))
    }

    fn token(&self, rest: &str) -> Result<(TokenKind, usize), SchemaError> {
        if let Some(length) = number(rest.as_bytes()) {
            return Ok((TokenKind::Number, length));
        }
        if let Some(length) = string(rest.as_bytes()) {
            return Ok((TokenKind::Str, length));
        }
        let mut found = (TokenKind::Ident, identifier(rest.as_bytes()));
        let mut offer = |kind, length| {
            if length > 0 && length >= found.1 {
                found = (kind, length);
            }
        };
        if let Some(byte) = rest.bytes().next().filter(|b| PUNCTUATION.contains(b)) {
            offer(TokenKind::Punct(byte), 1);
        }
        let table = WORDS.iter().copied();
        let table = table.chain(KEYWORDS.iter().map(|word| (*word, TokenKind::Keyword)));
        let table = table.chain(OPERATORS.iter().map(|word| (*word, TokenKind::Operator)));
        for (word, kind) in table {
            if rest.starts_with(word) {
                offer(kind, word.len());
            }
        }
        if found.1 == 0 {
            return Err(self.no_token(rest));
        }
        Ok(found)
    }

    fn no_token(&self, rest: &str) -> SchemaError {
        let first = rest.chars().next().unwrap_or(' ');
        let span = self.at..self.at + first.len_utf8();
        if matches!(first, '"' | '\'') {
            let span = self.at..self.text.len();
            return SchemaError::new(span, "string without an end").help(format!("end it with `{first}`"));
        }
        let error = SchemaError::new(span, format!("found `{}`, which has no meaning here", first.escape_debug()));
        match first {
            ';' => error.help("separate by `,`, and end the schema without a sign"),
            '$' | '`' | '\\' => error.help("remove it"),
            _ => error.help("names are of ASCII letters, digits and `_`"),
        }
    }
}

fn identifier(text: &[u8]) -> usize {
    let letter = |b: &u8| b.is_ascii_alphabetic() || *b == b'_';
    if !text.first().is_some_and(letter) {
        return 0;
    }
    text.iter().position(|b| !letter(b) && !b.is_ascii_digit()).unwrap_or(text.len())
}

/// The length of the number at the start: what C's `strtod` reads, and a `j` after it.
fn number(text: &[u8]) -> Option<usize> {
    let digits = |from: usize, hex: bool| {
        let valid = |b: &&u8| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
        text.get(from..).unwrap_or_default().iter().take_while(valid).count()
    };
    let mantissa = |from: usize, hex: bool| {
        let whole = digits(from, hex);
        let mut end = from + whole;
        let mut fraction = 0;
        if text.get(end) == Some(&b'.') {
            fraction = digits(end + 1, hex);
            if whole + fraction > 0 {
                end += 1 + fraction;
            }
        }
        (whole + fraction > 0).then_some(end)
    };
    let hex = if text.starts_with(b"0x") || text.starts_with(b"0X") { mantissa(2, true) } else { None };
    let (mut end, exponent) = match hex {
        Some(end) => (end, [b'p', b'P']),
        None => (mantissa(0, false)?, [b'e', b'E']),
    };
    if text.get(end).is_some_and(|b| exponent.contains(b)) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let count = digits(end + 1 + sign, false);
        if count > 0 {
            end += 1 + sign + count;
        }
    }
    Some(end + usize::from(text.get(end) == Some(&b'j')))
}

/// The length of the string literal at the start, in one or three quotes of either kind.
fn string(text: &[u8]) -> Option<usize> {
    let quote = *text.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let triple = [quote; 3];
    let ends = if text.starts_with(&triple) { &triple[..] } else { &triple[..1] };
    let mut at = ends.len();
    while at < text.len() && !text[at..].starts_with(ends) {
        if text[at] == b'\n' && ends.len() == 1 {
            return None;
        }
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at < text.len()).then_some(at + ends.len())
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let all = tokens(text).map_err(|e| e.to_string()).unwrap_or_default();
        all.iter().map(|t| (t.kind, &text[t.span.clone()])).collect()
    }

    #[test]
    fn numbers_are_those_of_strtod() {
        for text in ["1", "1.", ".5", "1.5e-3", "1E5", "0x1f", "0x1.8p3", "2j", "1.5j"] {
            assert_eq!(kinds(text)[0], (TokenKind::Number, text));
        }
        assert_eq!(kinds("1e")[0], (TokenKind::Number, "1"));
        assert_eq!(kinds("0x")[0], (TokenKind::Number, "0"));
        assert_eq!(kinds("...")[0], (TokenKind::Dots, "..."));
    }

    #[test]
    fn the_longest_token_wins_and_a_keyword_beats_a_name() {
        assert_eq!(kinds("input")[0], (TokenKind::Ident, "input"));
        assert_eq!(kinds("in")[0], (TokenKind::Keyword, "in"));
        assert_eq!(kinds("NoneType")[0], (TokenKind::NoneType, "NoneType"));
        assert_eq!(kinds("a->b")[1], (TokenKind::Arrow, "->"));
    }

    #[test]
    fn line_breaks_count_outside_brackets_only() {
        let kind = |text| kinds(text).into_iter().map(|(k, _)| k).collect::<Vec<_>>();
        assert_eq!(kind("\n  a # b\n  "), [TokenKind::Ident, TokenKind::Newline, TokenKind::End]);
        assert_eq!(kind("a\n b"), [TokenKind::Ident, TokenKind::Indent, TokenKind::Ident, TokenKind::End]);
        assert_eq!(kind("(\n)").len(), 3);
        assert_eq!(kind("a\\\nb").len(), 3);
    }

    #[test]
    fn strings_end() {
        assert_eq!(kinds(r#"'a\'b'"#)[0], (TokenKind::Str, r#"'a\'b'"#));
        assert_eq!(kinds("'''a\n'b'''")[0], (TokenKind::Str, "'''a\n'b'''"));
        assert!(tokens("'a").is_err() && tokens("'a\nb'").is_err() && tokens("'a\\").is_err());
    }
}
