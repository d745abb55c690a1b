//! Tokens to a default, by the type that it is for.

use std::ops::Range;

use crate::cursor::Parser;
use crate::error::SchemaError;
use crate::lexer::TokenKind;
use crate::model::DefaultValue;
use crate::names;
use crate::numbers;
use crate::strings;
use crate::suggest;
use crate::types::Type;

impl Parser<'_> {
    pub(crate) fn default_value(&mut self, ty: &Type) -> Result<DefaultValue, SchemaError> {
        match ty {
            Type::Tensor | Type::Generator | Type::Quantizer => {
                if self.next_if(TokenKind::None) {
                    return Ok(DefaultValue::None);
                }
                Err(self.found(&format!("`None`, the only default of `{ty}`")))
            }
            Type::Device => self.device(),
            Type::List(element, size) => self.list(element, *size),
            Type::Optional(_) if self.is(b'[') => {
                let error = self.found(&format!("one value for `{ty}`"));
                Err(error.help("torch takes no list as the default of an optional list; write `None`"))
            }
            Type::Str
            | Type::Optional(_)
            | Type::Scalar
            | Type::Int
            | Type::SymInt
            | Type::ScalarType
            | Type::Layout
            | Type::MemoryFormat
            | Type::Bool
            | Type::Float
            | Type::Complex => self.constant(ty),
            _ => {
                let error = SchemaError::new(self.span(), format!("torch takes no default for `{ty}`"));
                Err(error.help(format!("remove the default, or write `{ty}?` and `=None`")))
            }
        }
    }

    fn device(&mut self) -> Result<DefaultValue, SchemaError> {
        let span = self.span();
        if self.kind() != TokenKind::Str {
            let error = self.found("a device in quotes");
            return Err(match self.kind() {
                TokenKind::Ident => error.help(format!("write `'{}'`", self.slice())),
                _ => error.help("write `'cpu'`, or write `Device?` where `None` is meant"),
            });
        }
        let text = self.string()?;
        if names::is_device(&text) {
            return Ok(DefaultValue::Device(text));
        }
        Err(SchemaError::new(span, format!("`{}` is not a device of torch's", text.escape_debug()))
            .help("write a device such as `'cpu'` or `'cuda:0'`, with an index up to 127"))
    }

    fn list(&mut self, element: &Type, size: Option<u32>) -> Result<DefaultValue, SchemaError> {
        let start = self.span().start;
        match (self.kind(), size) {
            (TokenKind::Punct(b'['), _) => {}
            (kind, Some(size)) if kind != TokenKind::Ident => {
                let value = self.constant(element)?;
                let span = start..self.end_of_last();
                self.list_fits(element, &span)?;
                if size > 0 {
                    self.element_fits(element, &value, &span)?;
                }
                return Ok(DefaultValue::Repeated(Box::new(value), size));
            }
            (TokenKind::None, _) => {
                let error = self.found("a list in `[ ]`");
                return Err(error.help(format!("write `{element}[]?` where `None` is meant")));
            }
            _ => {
                let error = self.found("a list in `[ ]`");
                return Err(error.help("one value alone is a default where the list has a size, as in `int[2] x=1`"));
            }
        }
        self.next();
        let mut values = Vec::new();
        if !self.is(b']') {
            loop {
                let start = self.span().start;
                values.push((self.constant(element)?, start..self.end_of_last()));
                if !self.next_if_punct(b',') {
                    break;
                }
            }
        }
        self.expect_punct(b']', " or `,` in the list")?;
        self.list_fits(element, &(start..self.end_of_last()))?;
        values
            .into_iter()
            .map(|(value, span)| self.element_fits(element, &value, &span).map(|()| value))
            .collect::<Result<_, _>>()
            .map(DefaultValue::List)
    }

    fn list_fits(&self, element: &Type, span: &Range<usize>) -> Result<(), SchemaError> {
        match element.clone().on_stack() {
            Type::Int | Type::Float | Type::Bool | Type::Complex => Ok(()),
            _ => Err(SchemaError::new(span.clone(), format!("torch takes no default for a list of `{element}`"))
                .help(format!("remove the default, or write `{element}[]?` and `=None`"))),
        }
    }

    fn element_fits(&self, element: &Type, value: &DefaultValue, span: &Range<usize>) -> Result<(), SchemaError> {
        let fits = matches!(
            (element.clone().on_stack(), value),
            (Type::Int, DefaultValue::Int(_))
                | (Type::Float, DefaultValue::Float(_))
                | (Type::Bool, DefaultValue::Bool(_))
                | (Type::Complex, DefaultValue::Imaginary(_))
        );
        if fits {
            return Ok(());
        }
        let text = self.text.get(span.clone()).unwrap_or_default();
        Err(SchemaError::new(span.clone(), format!("`{text}` does not fit a list of `{element}`")))
    }

    /// One value. Torch takes each kind of value for each of these types; [`crate::parse`] checks afterwards.
    fn constant(&mut self, ty: &Type) -> Result<DefaultValue, SchemaError> {
        match self.kind() {
            TokenKind::True | TokenKind::False => Ok(DefaultValue::Bool(self.next() == "True")),
            TokenKind::None => {
                self.next();
                Ok(DefaultValue::None)
            }
            TokenKind::Str => self.string().map(DefaultValue::Str),
            TokenKind::Ident => {
                let span = self.span();
                let word = self.next();
                if word == "torch" && self.is(b'.') && self.kind_after(1) == TokenKind::Ident {
                    self.next();
                    let word = self.next();
                    let span = span.start..self.end_of_last();
                    let error = SchemaError::new(span, format!("`torch.{word}` is no default for `{ty}`"));
                    return Err(error.help(format!("write `{word}`, without `torch.`")));
                }
                let is_dtype = *ty.without_optional() == Type::ScalarType;
                let value = names::constant(word).or_else(|| names::dtype(word).filter(|_| is_dtype));
                value.map(DefaultValue::Int).ok_or_else(|| suggest::unknown_default(word, ty, span))
            }
            _ => self.number(ty),
        }
    }

    fn string(&mut self) -> Result<String, SchemaError> {
        let span = self.span();
        strings::unescape(self.next()).map_err(|wrong| {
            let help = "the escapes are `\\\\ \\' \\\" \\a \\b \\f \\n \\t \\v` and three octal digits up to `\\177`";
            SchemaError::new(span, wrong).help(help)
        })
    }

    fn number(&mut self, ty: &Type) -> Result<DefaultValue, SchemaError> {
        let start = self.span().start;
        let minus = self.next_if_punct(b'-');
        if self.kind() != TokenKind::Number {
            let what = if minus { "a number after `-`".to_owned() } else { format!("a default for `{ty}`") };
            let error = self.found(&what);
            return Err(if self.is(b'+') { error.help("remove the `+`") } else { error });
        }
        let text = format!("{}{}", if minus { "-" } else { "" }, self.next());
        let span = start..self.end_of_last();
        if text.contains(['x', 'X']) {
            let error = SchemaError::new(span, format!("`{text}` is hexadecimal, which torch reads as 0"));
            return Err(error.help("write it in decimal"));
        }
        let wrong = |why: &str| SchemaError::new(span.clone(), format!("`{text}` {why}"));
        if let Some(imaginary) = text.strip_suffix('j') {
            return numbers::read_float(imaginary)
                .map(DefaultValue::Imaginary)
                .ok_or_else(|| wrong("is too large or too small for a double"));
        }
        if *ty == Type::Complex {
            if self.mode.strict {
                let error = wrong("has no `j`, and torch reads a complex default wrongly without it");
                return Err(error.help("write an imaginary number such as `1j`, or leave the default out"));
            }
            let but_last = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
            return numbers::read_float(but_last)
                .map(DefaultValue::Imaginary)
                .ok_or_else(|| wrong("is not a complex number").help("write an imaginary number such as `1j`"));
        }
        if *ty == Type::Float || text.contains(['.', 'e']) {
            return numbers::read_float(&text)
                .map(DefaultValue::Float)
                .ok_or_else(|| wrong("is too large or too small for a double"));
        }
        if self.mode.strict && text.contains('E') {
            let whole = text.split('E').next().unwrap_or_default();
            return Err(wrong(&format!("has a capital `E`, at which torch stops: it reads `{whole}`"))
                .help("write a small `e`"));
        }
        numbers::read_int(&text).map(DefaultValue::Int).ok_or_else(|| wrong("does not fit 64 bits"))
    }
}
