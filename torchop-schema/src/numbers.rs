//! Numbers in defaults: read as C++ reads them, printed as torch prints them.

use std::fmt;

/// What `std::stod` reads at the start of `text`, or `None` where it throws: no number there, or one that is too
/// large or too small for a double.
pub(crate) fn read_float(text: &str) -> Option<f64> {
    let prefix = float_prefix(text);
    let value: f64 = prefix.parse().ok()?;
    let mantissa = prefix.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = !mantissa.bytes().any(|b| (b'1'..=b'9').contains(&b));
    (value.is_normal() || (value == 0.0 && is_zero)).then_some(value)
}

/// What `std::stoll` reads at the start of `text`, or `None` where it throws.
pub(crate) fn read_int(text: &str) -> Option<i64> {
    let sign = usize::from(text.starts_with('-'));
    let digits = text.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    text.get(..sign + digits)?.parse().ok()
}

fn float_prefix(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(text.starts_with('-'));
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let count = digits(end + 1 + sign);
        if count > 0 {
            end += 1 + sign + count;
        }
    }
    &text[..end]
}

/// A double as torch prints it: `2.` when it is whole and fits an int64, else C's `%.17g`.
pub(crate) struct Float(pub(crate) f64);

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        let value = self.0;
        if value.fract() == 0.0 && (-LIMIT..LIMIT).contains(&value) {
            return write!(f, "{}.", value as i64);
        }
        let scientific = format!("{value:.16e}");
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if !(-4..17).contains(&exponent) {
            let sign = if exponent < 0 { '-' } else { '+' };
            return write!(f, "{}e{sign}{:02}", trimmed(mantissa), exponent.unsigned_abs());
        }
        let places = usize::try_from(16 - exponent).unwrap_or(0);
        f.write_str(trimmed(&format!("{value:.places$}")))
    }
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A complex number without a real part, as torch prints it: `0.+1.j`.
pub(crate) struct Imaginary(pub(crate) f64);

impl fmt::Display for Imaginary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0.{}{}j", if self.0 >= 0.0 { "+" } else { "" }, Float(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Float, Imaginary, read_float, read_int};

    /// The right-hand sides were printed by torch 2.15.
    #[test]
    fn floats_print_as_torch_prints_them() {
        for (value, text) in [
            (2.0, "2."),
            (-0.0, "0."),
            (0.1, "0.10000000000000001"),
            (0.001, "0.001"),
            (1e-5, "1.0000000000000001e-05"),
            (0.0001, "0.0001"),
            (123_456_789.125, "123456789.125"),
            (1e10, "10000000000."),
            (1e17, "100000000000000000."),
            (9.3e18, "9.3e+18"),
            (-9_223_372_036_854_775_808.0, "-9223372036854775808."),
            (1e22, "1e+22"),
            (1e300, "1.0000000000000001e+300"),
        ] {
            assert_eq!(Float(value).to_string(), text);
        }
        assert_eq!(Imaginary(-2.5).to_string(), "0.-2.5j");
        assert_eq!(Imaginary(-0.0).to_string(), "0.+0.j");
    }

    #[test]
    fn reading_stops_where_cpp_stops() {
        assert_eq!((read_float("1e"), read_float("-.5x"), read_float("")), (Some(1.0), Some(-0.5), None));
        assert_eq!((read_float("1e999"), read_float("1e-310"), read_float("0e-400")), (None, None, Some(0.0)));
        assert_eq!((read_int("1E5"), read_int("-9223372036854775808")), (Some(1), Some(i64::MIN)));
        assert_eq!((read_int(".5"), read_int("9223372036854775808")), (None, None));
    }
}
