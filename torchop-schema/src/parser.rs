//! Tokens to a schema: the declaration, its arguments and returns. Types and defaults have their own files.

use crate::cursor::{Mode, Parser};
use crate::error::SchemaError;
use crate::lexer::TokenKind;
use crate::model::{Argument, OperatorName, Return, Schema};
use crate::rules;

/// Reads a schema as the author of an operator writes it.
///
/// Takes what `torch.library.Library.define` takes, less what torch would take and then get wrong; the table in the
/// crate's documentation lists each such rule.
///
/// # Errors
/// The first mistake in the text; [`parse_all`] gives all.
pub fn parse(text: &str) -> Result<Schema, SchemaError> {
    parse_all(text).map_err(first)
}

/// As [`parse`].
///
/// # Errors
/// All mistakes in the text, at least one, the first first. Each argument and return is read on its own as long as the
/// brackets tell where it ends; rules for the schema as a whole are looked at when each is right. No more than 20: a text
/// with more is no schema.
pub fn parse_all(text: &str) -> Result<Schema, Vec<SchemaError>> {
    let variables = text.starts_with("aten::") || text.starts_with("prim::");
    let schema = Parser::new(text, Mode { strict: true, variables }).map_err(|error| vec![error])?.schema()?;
    let mut mistakes = rules::check(&schema);
    mistakes.truncate(MOST_MISTAKES);
    if mistakes.is_empty() { Ok(schema) } else { Err(mistakes) }
}

const MOST_MISTAKES: usize = 20;

fn first(mistakes: Vec<SchemaError>) -> SchemaError {
    mistakes.into_iter().next().unwrap_or_else(|| SchemaError::new(0..0, "a schema that cannot be read"))
}

/// Reads a schema as `torch._C.parse_schema` does, type variables and doubtful defaults included: for the schemas of
/// torch's own operators.
///
/// # Errors
/// The first mistake in the text.
pub fn parse_as_torch(text: &str) -> Result<Schema, SchemaError> {
    Parser::new(text, Mode { strict: false, variables: true })?.schema().map_err(first)
}

/// Reads an operator's name on its own: `namespace::name.overload`.
///
/// # Errors
/// The first mistake in the text, or arguments after the name.
pub fn parse_name(text: &str) -> Result<OperatorName, SchemaError> {
    let mut parser = Parser::new(text, Mode { strict: true, variables: false })?;
    let name = parser.operator_name()?;
    if parser.is(b'(') {
        let error = SchemaError::new(parser.span().start..text.len(), "found a schema, expected an operator's name");
        return Err(error.help(format!("write `{name}`")));
    }
    parser.end()?;
    Ok(name)
}

impl Parser<'_> {
    fn end(&mut self) -> Result<(), SchemaError> {
        self.next_if(TokenKind::Newline);
        if self.kind() == TokenKind::End { Ok(()) } else { Err(self.found("the end of the text")) }
    }

    fn schema(mut self) -> Result<Schema, Vec<SchemaError>> {
        let end = self.declaration();
        let mut mistakes = self.mistakes;
        match end {
            Ok(schema) if mistakes.is_empty() => return Ok(schema),
            Ok(_) => {}
            Err(last) => mistakes.push(last),
        }
        Err(mistakes)
    }

    /// A mistake that reading went on behind stands in `mistakes`; what it is in is missing in the schema.
    fn declaration(&mut self) -> Result<Schema, SchemaError> {
        let name = self.operator_name()?;
        if !self.is(b'(') {
            let error = self.found("`(` after the operator's name");
            return Err(match self.kind() {
                TokenKind::Punct(b':') if name.namespace.is_some() => error.help("write one `::` in the name"),
                TokenKind::Punct(b'-') => error.help("names are of ASCII letters, digits and `_`"),
                _ => error.help("write the arguments and returns, as in `my_ops::f(Tensor x) -> Tensor`"),
            });
        }
        let mut schema =
            Schema { name, arguments: Vec::new(), returns: Vec::new(), is_vararg: false, is_varret: false };
        self.arguments(&mut schema)?;
        if !self.next_if(TokenKind::Arrow) {
            let error = self.found("`->` after the arguments");
            return Err(match self.kind() {
                TokenKind::End => error.help("write `-> ()` where there are no returns"),
                _ => error.help("write `->` before the returns"),
            });
        }
        self.returns(&mut schema)?;
        self.end()?;
        if self.mistakes.is_empty() {
            rules::check_order(&schema)?;
        }
        Ok(schema)
    }

    fn operator_name(&mut self) -> Result<OperatorName, SchemaError> {
        let mut name = self.expect_ident("the operator's name")?;
        let mut namespace = None;
        if self.next_if_punct(b':') {
            if !self.next_if_punct(b':') {
                return Err(self.found("a second `:`").help("write `::` after the namespace"));
            }
            namespace = Some(name.to_owned());
            name = self.expect_ident("the operator's name")?;
        }
        let mut overload = "";
        if self.next_if_punct(b'.') {
            let span = self.span();
            overload = self.expect_ident("the overload's name")?;
            if overload == "default" || overload.starts_with("__") {
                let error = SchemaError::new(span, format!("torch does not take `{overload}` as an overload's name"));
                return Err(error.help("choose another name, or leave it out"));
            }
        }
        Ok(OperatorName { namespace, name: name.to_owned(), overload: overload.to_owned() })
    }

    fn arguments(&mut self, schema: &mut Schema) -> Result<(), SchemaError> {
        self.expect_punct(b'(', " before the arguments")?;
        if self.next_if_punct(b')') {
            return Ok(());
        }
        let mut kwarg_only = false;
        loop {
            if schema.is_vararg {
                return Err(SchemaError::new(self.span(), "`...` is not the last argument").help("move it to the end"));
            }
            if self.next_if_punct(b'*') {
                kwarg_only = true;
                if self.kind() == TokenKind::Ident {
                    let help = "write `*,` before arguments that are given by name, or `...` for any number";
                    return Err(self.found("`,` or `)` after `*`").help(help));
                }
            } else if self.next_if(TokenKind::Dots) {
                schema.is_vararg = true;
            } else if let Some(argument) = self.item(|parser| parser.argument(kwarg_only))? {
                schema.arguments.push(argument);
            }
            if !self.next_if_punct(b',') {
                break;
            }
            self.no_trailing_comma()?;
        }
        self.expect_punct(b')', " or `,` after the argument")?;
        let default = schema.arguments.iter().find_map(|argument| argument.default_span.clone());
        if let Some(span) = default.filter(|_| schema.is_vararg) {
            let error = SchemaError::new(span, "a schema with `...` takes no defaults");
            return Err(error.help("remove the default"));
        }
        Ok(())
    }

    fn no_trailing_comma(&self) -> Result<(), SchemaError> {
        if self.is(b')') {
            let comma = self.end_of_last().saturating_sub(1)..self.end_of_last();
            return Err(SchemaError::new(comma, "found `,` before `)`").help("remove the `,`"));
        }
        Ok(())
    }

    /// Reads an argument or return up to its end. Nothing if there is a mistake in it and the end could be found.
    fn item<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, SchemaError>) -> Result<Option<T>, SchemaError> {
        let start = self.position();
        match read(self) {
            Ok(read) => Ok(Some(read)),
            Err(mistake) if self.mistakes.len() + 1 < MOST_MISTAKES && self.skip_item(start) => {
                self.mistakes.push(mistake);
                Ok(None)
            }
            Err(mistake) => Err(mistake),
        }
    }

    fn argument(&mut self, kwarg_only: bool) -> Result<Argument, SchemaError> {
        let start = self.span().start;
        let (ty, alias) = self.argument_type()?;
        let type_span = start..self.end_of_last();
        let name_span = self.span();
        let name = match self.kind() {
            TokenKind::Punct(b',' | b')') => {
                let text = self.text.get(type_span).unwrap_or_default();
                let error = SchemaError::new(start..self.end_of_last(), format!("argument `{text}` has no name"));
                return Err(error.help(format!("write `{text} x`")));
            }
            TokenKind::Punct(b'(') if ty.is_optional() => {
                let error = self.found("the argument's name");
                return Err(error.help("write the alias annotation before the `?`, as in `Tensor(a!)?`"));
            }
            _ => self.expect_ident("the argument's name")?.to_owned(),
        };
        let mut default = None;
        let mut default_span = None;
        if self.next_if_punct(b'=') {
            let start = self.span().start;
            default = Some(self.default_value(&ty)?);
            default_span = Some(start..self.end_of_last());
        }
        let span = start..self.end_of_last();
        Ok(Argument { ty, alias, name, default, kwarg_only, span, type_span, name_span, default_span })
    }

    fn returns(&mut self, schema: &mut Schema) -> Result<(), SchemaError> {
        if self.next_if(TokenKind::Dots) {
            schema.is_varret = true;
            return Ok(());
        }
        if !self.next_if_punct(b'(') {
            schema.returns.push(self.one_return()?);
            return Ok(());
        }
        if self.next_if_punct(b')') {
            return Ok(());
        }
        loop {
            if schema.is_varret {
                return Err(SchemaError::new(self.span(), "`...` is not the last return").help("move it to the end"));
            }
            if self.next_if(TokenKind::Dots) {
                schema.is_varret = true;
            } else if let Some(output) = self.item(Self::one_return)? {
                schema.returns.push(output);
            }
            if !self.next_if_punct(b',') {
                break;
            }
            self.no_trailing_comma()?;
        }
        self.expect_punct(b')', " or `,` after the return")
    }

    fn one_return(&mut self) -> Result<Return, SchemaError> {
        let start = self.span().start;
        let (ty, alias) = self.argument_type()?;
        let type_span = start..self.end_of_last();
        let name = if self.kind() == TokenKind::Ident { Some(self.next().to_owned()) } else { None };
        if self.is(b'=') {
            return Err(SchemaError::new(self.span(), "a return takes no default").help("remove it"));
        }
        Ok(Return { ty, alias, name, span: start..self.end_of_last(), type_span })
    }
}
