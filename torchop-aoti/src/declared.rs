//! Reads the declarations of inputs: `ids: int64[batch=1..=64, 2*length] channels_last cpu`.

use crate::input::{Dimension, Input, Inputs, Symbol};
use torchop_runtime::{DType, DeviceType, Error, Result, host};

/// Reads them all; names of sizes are common to them. `device` is the model's.
pub(crate) fn read(texts: &[&str], device: DeviceType) -> Result<Inputs> {
    let mut inputs = Inputs { list: Vec::new(), symbols: Vec::new() };
    for text in texts {
        let input = read_one(text, device, &mut inputs.symbols).map_err(|problem| {
            Error::value(format!("input `{text}`: {problem}; write it like `x: float32[batch, 3, 2*width]`"))
        })?;
        if inputs.position(&input.name).is_some() {
            return Err(Error::value(format!("two inputs are called `{}`", input.name)));
        }
        inputs.list.push(input);
    }
    Ok(inputs)
}

fn read_one(text: &str, device: DeviceType, symbols: &mut Vec<Symbol>) -> Result<Input, String> {
    let (name, rest) = text.split_once(':').ok_or("there is no `:` after a name")?;
    let (dtype, rest) = rest.split_once('[').ok_or("there is no `[` after the dtype")?;
    let (sizes, words) = rest.split_once(']').ok_or("there is no `]` after the sizes")?;
    let (name, dtype) = (name.trim(), dtype.trim());
    if name.is_empty() {
        return Err("it has no name".into());
    }
    let found = DType::ALL.iter().copied().find(|known| known.python_name() == dtype);
    let dtype = found.ok_or_else(|| format!("there is no dtype `{dtype}`"))?;
    let sizes = sizes.split(',').map(str::trim).filter(|_| !sizes.trim().is_empty());
    let sizes = sizes.map(|size| read_size(size, symbols)).collect::<Result<Vec<_>, _>>()?;
    let mut input = Input { name: name.into(), dtype, sizes, channels_last: false, device, device_code: 0 };
    for word in words.split_whitespace() {
        match word {
            "channels_last" if matches!(input.sizes.len(), 4 | 5) => input.channels_last = true,
            "channels_last" => return Err("`channels_last` needs 4 or 5 sizes".into()),
            "cpu" => input.device = DeviceType::Cpu,
            "cuda" => input.device = DeviceType::Cuda,
            _ => return Err(format!("`{word}` is none of `channels_last`, `cpu`, `cuda`")),
        }
    }
    input.device_code = host::device_code(input.device);
    Ok(input)
}

fn read_size(text: &str, symbols: &mut Vec<Symbol>) -> Result<Dimension, String> {
    let number = |text: &str| {
        let value = text.trim().parse::<i64>().ok().filter(|value| *value >= 0);
        value.ok_or_else(|| format!("`{}` is no size", text.trim()))
    };
    if text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains('*') {
        return Ok(Dimension::Fixed(number(text)?));
    }
    let (factor, rest) = match text.split_once('*') {
        Some((factor, rest)) => (number(factor)?, rest),
        None => (1, text),
    };
    if factor == 0 {
        return Err(format!("`{text}` is always 0; write `0`"));
    }
    let (name, bounds) = match rest.split_once('=') {
        Some((name, bounds)) => (name.trim(), Some(bounds)),
        None => (rest.trim(), None),
    };
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name {
        return Err(format!("`{text}` is neither a number nor a name"));
    }
    let known = symbols.iter().position(|symbol| symbol.name == name);
    let symbol = match (known, bounds) {
        (Some(_), Some(_)) => return Err(format!("`{name}` is bounded where it is not used first")),
        (Some(symbol), None) => symbol,
        (None, bounds) => {
            let (least, most) = match bounds {
                None => (0, i64::MAX),
                Some(bounds) => {
                    let (least, most) =
                        bounds.split_once("..=").ok_or_else(|| format!("`{bounds}` is no range like `1..=64`"))?;
                    (number(least)?, number(most)?)
                }
            };
            symbols.push(Symbol { name: name.into(), least, most });
            symbols.len() - 1
        }
    };
    Ok(Dimension::Named { symbol, factor })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn problem(texts: &[&str]) -> String {
        read(texts, DeviceType::Cpu).unwrap_err().message().to_owned()
    }

    #[test]
    fn sizes_are_numbers_names_and_multiples() {
        let inputs = read(
            &["x: float32[batch=1..=64, 3, 2*width, 0] channels_last", " mask :bool[batch] cuda", "s: int64[]"],
            DeviceType::Cpu,
        )
        .unwrap();
        let named = |symbol, factor| Dimension::Named { symbol, factor };
        assert_eq!(inputs.list[0].sizes, [named(0, 1), Dimension::Fixed(3), named(1, 2), Dimension::Fixed(0)]);
        assert_eq!((inputs.list[0].dtype, inputs.list[0].channels_last), (DType::Float32, true));
        assert_eq!((inputs.list[1].sizes.as_slice(), inputs.list[1].device), (&[named(0, 1)][..], DeviceType::Cuda));
        assert!(inputs.list[2].sizes.is_empty());
        assert_eq!((inputs.symbols[0].least, inputs.symbols[0].most), (1, 64));
        assert_eq!((inputs.symbols[1].least, inputs.symbols[1].most), (0, i64::MAX));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, says) in [
            ("x float32[3]", "there is no `:` after a name"),
            (": float32[3]", "it has no name"),
            ("x: float32", "there is no `[` after the dtype"),
            ("x: float32[3", "there is no `]` after the sizes"),
            ("x: float33[3]", "there is no dtype `float33`"),
            ("x: float32[-1]", "`-1` is neither a number nor a name"),
            ("x: float32[3 4]", "`3 4` is no size"),
            ("x: float32[,]", "`` is neither a number nor a name"),
            ("x: float32[0*n]", "`0*n` is always 0; write `0`"),
            ("x: float32[n=1..4]", "`1..4` is no range like `1..=64`"),
            ("x: float32[n, n=1..=4]", "`n` is bounded where it is not used first"),
            ("x: float32[3] gpu", "`gpu` is none of `channels_last`, `cpu`, `cuda`"),
            ("x: float32[3] channels_last", "`channels_last` needs 4 or 5 sizes"),
        ] {
            let said = problem(&[text]);
            assert!(said.starts_with(&format!("input `{text}`: {says}; write it like")), "{said}");
        }
        assert_eq!(problem(&["x: int8[]", "x: int8[]"]), "two inputs are called `x`");
    }
}
