//! String literals: what torch reads in them and how it prints them.

use std::fmt::{self, Write};

/// The value of a literal with its quotes, or what is wrong with it.
pub(crate) fn unescape(literal: &str) -> Result<String, String> {
    let quote = literal.chars().next().unwrap_or('"');
    let triple: String = [quote; 3].iter().collect();
    let quotes = if literal.starts_with(&triple) { 3 } else { 1 };
    let inner = literal.get(quotes..literal.len().saturating_sub(quotes)).unwrap_or_default();
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let after = rest.as_str();
        let escaped = rest.next().unwrap_or('\\');
        out.push(match escaped {
            '\\' | '\'' | '"' | '\n' => escaped,
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'v' => '\x0b',
            't' => '\t',
            '0'..='7' => {
                let value = octal(after)?;
                rest = after[3..].chars();
                value
            }
            other => return Err(format!("`\\{}` is not an escape that torch reads", other.escape_debug())),
        });
    }
    Ok(out)
}

fn octal(text: &str) -> Result<char, String> {
    let digits = text.as_bytes().get(..3).filter(|d| d.iter().all(|b| (b'0'..=b'7').contains(b)));
    let digits = digits.ok_or("an octal escape has three digits")?;
    let value = digits.iter().fold(0_u32, |sum, b| sum * 8 + u32::from(b - b'0'));
    match u8::try_from(value) {
        Ok(byte) if byte.is_ascii() => Ok(char::from(byte)),
        _ => Err("an octal escape above `\\177` is no character of its own".into()),
    }
}

/// Writes `text` in double quotes, so that torch reads the same text back. Torch itself prints `\r`, which it does not read,
/// and makes of bytes above 127 what its arithmetic on signed bytes gives.
pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '\\' => f.write_str("\\\\")?,
            '\'' => f.write_str("\\'")?,
            '"' => f.write_str("\\\"")?,
            '\x07' => f.write_str("\\a")?,
            '\x08' => f.write_str("\\b")?,
            '\x0c' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\x0b' => f.write_str("\\v")?,
            '\0'..='\x1f' | '\x7f' => write!(f, "\\{:03o}", u32::from(c))?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes() {
        assert_eq!(unescape(r#"'\101\\\n\t\'\"'"#).as_deref(), Ok("A\\\n\t'\""));
        assert_eq!(unescape("'''a'b'''").as_deref(), Ok("a'b"));
        assert_eq!(unescape("''").as_deref(), Ok(""));
        assert_eq!(unescape("'é'").as_deref(), Ok("é"));
        for wrong in [r"'\x41'", r"'\r'", r"'\0'", r"'\00'", r"'\400'", r"'\377'", r"'\u0041'"] {
            assert!(unescape(wrong).is_err(), "{wrong}");
        }
    }
}
