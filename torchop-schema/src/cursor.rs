//! Walking over the tokens of a schema.

use std::ops::Range;

use crate::error::SchemaError;
use crate::lexer::{self, Token, TokenKind};

/// How much of what torch takes is taken.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    /// Refuse numbers that torch reads in part only.
    pub(crate) strict: bool,
    /// Take unknown lower-case types as type variables.
    pub(crate) variables: bool,
}

pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    pub(crate) mode: Mode,
    /// The number of the next set that `!` alone makes.
    pub(crate) next_set: u32,
    /// Types within types around the current one.
    pub(crate) depth: u32,
    /// What is wrong so far, in the order of the text.
    pub(crate) mistakes: Vec<SchemaError>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, mode: Mode) -> Result<Self, SchemaError> {
        Ok(Parser { text, tokens: lexer::tokens(text)?, at: 0, mode, next_set: 0, depth: 0, mistakes: Vec::new() })
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.kind_after(0)
    }

    pub(crate) fn kind_after(&self, count: usize) -> TokenKind {
        self.tokens.get(self.at + count).map_or(TokenKind::End, |token| token.kind)
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.text.len()..self.text.len(), |token| token.span.clone())
    }

    /// The end of the token before the current one.
    pub(crate) fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.span.end)
    }

    pub(crate) fn slice(&self) -> &'t str {
        self.text.get(self.span()).unwrap_or_default()
    }

    /// How many tokens were read, for [`Parser::skip_item`].
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes on behind a mistake: to the `,` or `)` that ends the item which begins at `first`, where the brackets tell which
    /// that is.
    pub(crate) fn skip_item(&mut self, first: usize) -> bool {
        let mut open = Vec::new();
        for (at, token) in self.tokens.iter().enumerate().skip(first) {
            match token.kind {
                TokenKind::Punct(b',' | b')') if open.is_empty() && at >= self.at => {
                    self.at = at;
                    self.depth = 0;
                    return true;
                }
                TokenKind::Punct(bracket @ (b'(' | b'[' | b'{')) => open.push(bracket),
                TokenKind::Punct(bracket @ (b')' | b']' | b'}')) => {
                    let opens = match bracket {
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    if open.pop() != Some(opens) {
                        return false;
                    }
                }
                TokenKind::Arrow | TokenKind::Newline | TokenKind::Indent if open.is_empty() => return false,
                _ => {}
            }
        }
        false
    }

    /// The current token's text; moves on.
    pub(crate) fn next(&mut self) -> &'t str {
        let text = self.slice();
        self.at += 1;
        text
    }

    pub(crate) fn is(&self, punct: u8) -> bool {
        self.kind() == TokenKind::Punct(punct)
    }

    pub(crate) fn next_if(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        self.at += usize::from(found);
        found
    }

    pub(crate) fn next_if_punct(&mut self, punct: u8) -> bool {
        self.next_if(TokenKind::Punct(punct))
    }

    pub(crate) fn expect_punct(&mut self, punct: u8, context: &str) -> Result<(), SchemaError> {
        if self.next_if_punct(punct) {
            return Ok(());
        }
        Err(self.found(&format!("`{}`{context}", char::from(punct))))
    }

    pub(crate) fn expect_ident(&mut self, what: &str) -> Result<&'t str, SchemaError> {
        if self.kind() == TokenKind::Ident {
            return Ok(self.next());
        }
        let error = self.found(what);
        Err(match self.kind() {
            TokenKind::Keyword | TokenKind::True | TokenKind::False | TokenKind::None | TokenKind::NoneType => {
                let word = self.slice();
                SchemaError::new(self.span(), format!("`{word}` is a word of Python's, expected {what}"))
                    .help(format!("choose another name, such as `{}_`", word.replace(' ', "_")))
            }
            _ => error,
        })
    }

    /// `found …, expected …`, at the current token.
    pub(crate) fn found(&self, expected: &str) -> SchemaError {
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Newline | TokenKind::Indent => "a line break outside brackets".to_owned(),
            _ => format!("`{}`", self.slice().escape_debug()),
        };
        SchemaError::new(self.span(), format!("found {found}, expected {expected}"))
    }
}
