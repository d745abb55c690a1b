//! Tokens to a type and its alias annotations.

use std::collections::HashSet;

use crate::cursor::Parser;
use crate::error::SchemaError;
use crate::lexer::TokenKind;
use crate::model::Alias;
use crate::suggest;
use crate::types::Type;
use crate::union;

/// Types within types, and `[]` and `?` after them, add up to no more than this, so that no text overflows a stack.
const MAX_DEPTH: u32 = 64;

/// The largest `n` of `T[n]`. Torch makes `n` values of the default, and wraps larger numbers around.
const MAX_SIZE: u32 = 65_535;

/// A type, its alias annotation, and how many types deep it is.
type Parsed = (Type, Option<Alias>, u32);

impl Parser<'_> {
    /// A type as it stands in an argument or return, where a list may have a size.
    pub(crate) fn argument_type(&mut self) -> Result<(Type, Option<Alias>), SchemaError> {
        let start = self.span().start;
        let (mut ty, mut alias, _) = self.ty(false)?;
        if !self.next_if_punct(b'[') {
            return Ok((ty, alias));
        }
        let size = self.list_size()?;
        self.expect_punct(b']', " after the list's size")?;
        ty = Type::List(Box::new(ty), Some(size));
        alias = self.list_alias(alias)?;
        if self.next_if_punct(b'?') {
            ty = self.optional(ty, start)?;
        }
        if self.is(b'?') || self.is(b'[') {
            let error = self.found("the name");
            return Err(error.help("a list with a size is the outermost type, and at most one `?` follows it"));
        }
        Ok((ty, alias))
    }

    fn list_size(&mut self) -> Result<u32, SchemaError> {
        let span = self.span();
        if self.kind() != TokenKind::Number {
            return Err(self.found("`]` or the list's size"));
        }
        let text = self.next();
        let whole = text.bytes().all(|b| b.is_ascii_digit());
        if self.mode.strict && !whole {
            return Err(SchemaError::new(span, format!("`{text}` is not a size")).help("write a whole number"));
        }
        let size = if text.starts_with("0x") || text.starts_with("0X") { None } else { crate::numbers::read_int(text) };
        match size.and_then(|size| u32::try_from(size).ok()).filter(|size| *size <= MAX_SIZE) {
            Some(size) => Ok(size),
            None => {
                let error = SchemaError::new(span, format!("`{text}` is not a size"));
                Err(error.help(format!("write a whole number up to {MAX_SIZE}")))
            }
        }
    }

    /// `nested` within a tuple, `Dict` and so on, where torch keeps the type on the stack only.
    fn ty(&mut self, nested: bool) -> Result<Parsed, SchemaError> {
        let start = self.span().start;
        self.depth += 1;
        self.check_depth(self.depth, start)?;
        let (mut ty, mut alias, mut depth) = self.base(nested)?;
        self.depth -= 1;
        loop {
            if self.is(b'[') && self.kind_after(1) == TokenKind::Punct(b']') {
                self.next();
                self.next();
                ty = Type::List(Box::new(ty), None);
                alias = self.list_alias(alias)?;
            } else if self.next_if_punct(b'?') {
                ty = self.optional(ty, start)?;
            } else {
                return Ok((ty, alias, depth));
            }
            depth += 1;
            self.check_depth(depth, start)?;
        }
    }

    fn check_depth(&self, depth: u32, start: usize) -> Result<(), SchemaError> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let error = SchemaError::new(start..self.span().end, "type within type too many times");
        Err(error.help(format!("nest types up to {MAX_DEPTH} deep")))
    }

    fn optional(&self, ty: Type, start: usize) -> Result<Type, SchemaError> {
        let shown = ty.to_string();
        union::optional(ty).map_err(|_| {
            let error = SchemaError::new(start..self.end_of_last(), format!("`{shown}?` holds `None` only"));
            error.help("write `None`, or the type that may be there")
        })
    }

    /// The annotation after `[]`, with that of the elements within it.
    fn list_alias(&mut self, elements: Option<Alias>) -> Result<Option<Alias>, SchemaError> {
        let list = self.alias()?;
        let Some(elements) = elements else { return Ok(list) };
        let mut list = list.unwrap_or(Alias { is_write: elements.is_write, ..Alias::default() });
        list.contained = Some(Box::new(elements));
        Ok(Some(list))
    }

    fn base(&mut self, nested: bool) -> Result<Parsed, SchemaError> {
        if self.is(b'(') {
            let (parts, depth) = self.parts("the tuple")?;
            return Ok((Type::Tuple(parts), None, depth + 1));
        }
        if !matches!(self.kind(), TokenKind::Ident | TokenKind::None | TokenKind::NoneType) {
            return Err(suggest::no_type(self.text, &self.span()).unwrap_or_else(|| self.found("a type")));
        }
        match self.slice() {
            "Tensor" => {
                self.next();
                Ok((Type::Tensor, self.alias()?, 1))
            }
            name @ ("Future" | "Await" | "RRef") if self.compound()? => {
                self.next();
                let (inner, _, depth) = self.ty(true)?;
                self.expect_punct(b')', &format!(" after the type in `{name}(`"))?;
                let inner = Box::new(inner);
                let ty = match name {
                    "Future" => Type::Future(inner),
                    "Await" => Type::Await(inner),
                    _ => Type::RRef(inner),
                };
                Ok((ty, None, depth + 1))
            }
            "Dict" if self.compound()? => self.dict(),
            "Union" if self.compound()? => self.union(),
            "__torch__" => Ok((self.class()?, None, 1)),
            _ => {
                let ty = self.named()?;
                Ok((if nested { ty.on_stack() } else { ty }, self.alias()?, 1))
            }
        }
    }

    /// Moves over the name of a type with parts; its `(` must follow.
    fn compound(&mut self) -> Result<bool, SchemaError> {
        if self.kind_after(1) == TokenKind::Punct(b'(') {
            self.next();
            return Ok(true);
        }
        Err(match suggest::no_type(self.text, &self.span()) {
            Some(error) => error,
            None => {
                let name = self.next();
                self.found(&format!("`(` after `{name}`"))
            }
        })
    }

    /// Types in parentheses.
    fn parts(&mut self, whose: &str) -> Result<(Vec<Type>, u32), SchemaError> {
        self.expect_punct(b'(', "")?;
        let (mut parts, mut deepest) = (Vec::new(), 0);
        if self.next_if_punct(b')') {
            return Ok((parts, deepest));
        }
        loop {
            let (part, _, depth) = self.ty(true)?;
            parts.push(part);
            deepest = deepest.max(depth);
            if !self.next_if_punct(b',') {
                break;
            }
        }
        self.expect_punct(b')', &format!(" or `,` in {whose}"))?;
        Ok((parts, deepest))
    }

    fn union(&mut self) -> Result<Parsed, SchemaError> {
        let start = self.span().start;
        let (parts, depth) = self.parts("`Union(`")?;
        let alias = self.alias()?;
        let folded = union::union(parts).map_err(|_| {
            let error = SchemaError::new(start..self.end_of_last(), "torch folds this `Union` to one type");
            error.help("write that type alone")
        })?;
        Ok((folded, alias, depth + 2))
    }

    fn dict(&mut self) -> Result<Parsed, SchemaError> {
        self.expect_punct(b'(', "")?;
        let start = self.span().start;
        let (key, _, key_depth) = self.ty(true)?;
        let key_end = self.end_of_last();
        self.expect_punct(b',', " after the key's type in `Dict(`")?;
        let (value, _, depth) = self.ty(true)?;
        self.expect_punct(b')', " after the value's type in `Dict(`")?;
        let alias = self.alias()?;
        let valid = matches!(
            key,
            Type::Any | Type::Int | Type::Bool | Type::Float | Type::Complex | Type::Str | Type::Tensor | Type::Device
        );
        if !valid {
            let error = SchemaError::new(start..key_end, format!("`{key}` is not the type of a key"));
            return Err(error.help("keys are `str`, `int`, `float`, `bool`, `complex`, `Tensor`, `Device` or `Any`"));
        }
        Ok((Type::Dict(Box::new(key), Box::new(value)), alias, depth.max(key_depth) + 1))
    }

    /// `__torch__.torch.classes.ns.Name`. Torch looks the class up; here every name will do.
    fn class(&mut self) -> Result<Type, SchemaError> {
        let mut name = self.next().to_owned();
        for fixed in [Some("torch"), Some("classes"), None, None] {
            let what = "a class's name, `__torch__.torch.classes.ns.Name`";
            if !self.next_if_punct(b'.') {
                return Err(self.found(what));
            }
            let span = self.span();
            let part = self.expect_ident(what)?;
            if fixed.is_some_and(|fixed| fixed != part) {
                return Err(SchemaError::new(span, format!("found `{part}`, expected {what}")));
            }
            name.push('.');
            name.push_str(part);
        }
        Ok(Type::Class(name))
    }

    fn named(&mut self) -> Result<Type, SchemaError> {
        let mut span = self.span();
        let mut name = self.next().to_owned();
        while self.is(b'.') && self.kind_after(1) == TokenKind::Ident {
            self.next();
            name.push('.');
            name.push_str(self.next());
            span.end = self.end_of_last();
        }
        if let Some(ty) = Type::named(&name) {
            return Ok(ty);
        }
        if self.mode.variables && name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Ok(Type::Variable(name));
        }
        Err(suggest::unknown_type(self.text, &name, span))
    }

    /// `(a)`, `(a!)`, `(a|b! -> *)` or `!`, if one is there.
    fn alias(&mut self) -> Result<Option<Alias>, SchemaError> {
        if self.next_if_punct(b'!') {
            let set = format!("${}", self.next_set);
            self.next_set += 1;
            return Ok(Some(Alias { before: vec![set], is_write: true, ..Alias::default() }));
        }
        if !self.next_if_punct(b'(') {
            return Ok(None);
        }
        let before = self.alias_sets()?;
        let is_write = self.next_if_punct(b'!');
        let after = if self.next_if(TokenKind::Arrow) { self.alias_sets()? } else { before.clone() };
        self.expect_punct(b')', " after the alias annotation")?;
        Ok(Some(Alias { before, after, is_write, contained: None }))
    }

    /// Torch reads no further set after `*`, but takes a `|` there.
    fn alias_sets(&mut self) -> Result<Vec<String>, SchemaError> {
        let mut sets: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        let mut wildcard = false;
        loop {
            let set = if self.next_if_punct(b'*') {
                wildcard = true;
                Some("*")
            } else if wildcard {
                None
            } else {
                let expected = "the name of an alias set, as in `(a)` or `(a!)`";
                Some(self.expect_ident(expected)?)
            };
            if let Some(set) = set.filter(|set| seen.insert(*set)) {
                sets.push(set.to_owned());
            }
            if !self.next_if_punct(b'|') {
                return Ok(sets);
            }
        }
    }
}
