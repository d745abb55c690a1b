//! No text makes the parser panic, hang or point outside of the text. `PROPTEST_CASES=1000000` looks for longer.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use torchop_schema::{SchemaError, parse, parse_all, parse_as_torch, parse_name};

/// Texts that were chosen for what is odd in them, one a line.
const CHOSEN: &str = include_str!("chosen.txt");

/// What schemas are made of, and what looks alike.
const TOKENS: &[&str] = &[
    "f",
    "ns",
    "::",
    ".",
    "out",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "*",
    "->",
    "...",
    "=",
    "!",
    "?",
    "|",
    "a",
    "a!",
    "(a!)",
    "(a -> *)",
    " ",
    "\n",
    "\n  ",
    "\t",
    "#",
    "# type:",
    "Tensor",
    "int",
    "SymInt",
    "float",
    "bool",
    "str",
    "Scalar",
    "complex",
    "ScalarType",
    "Device",
    "Layout",
    "MemoryFormat",
    "Generator",
    "Stream",
    "Any",
    "Dict(",
    "Future(",
    "Union[",
    "Optional[",
    "__torch__.torch.classes.ns.C",
    "Dimname",
    "int[3]",
    "int[4294967296]",
    "x",
    "self",
    "None",
    "True",
    "'",
    "\"",
    "'a'",
    "'\\",
    "'\\377'",
    "'cuda:0'",
    "0",
    "1",
    "-",
    "+",
    "1.5",
    "1e",
    "1e999",
    "1j",
    "0x10",
    "9223372036854775808",
    "é",
    "✓",
    "\u{0}",
    "\u{feff}",
    "\r",
    "lambda",
    "not in",
    "is",
    "Tensr",
    "int32",
    "&mut ",
    "Vec<",
    ">",
    "$",
    "@",
    "//",
    "<<=",
];

fn check_mistake(text: &str, mistake: &SchemaError) -> Result<(), TestCaseError> {
    let span = &mistake.span;
    prop_assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
    prop_assert!(!mistake.message.is_empty() && !mistake.render(text).is_empty());
    Ok(())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let start = Instant::now();
    match parse_all(text) {
        Ok(schema) => {
            prop_assert_eq!(parse(text), Ok(schema.clone()));
            // Torch cannot read all that it prints, nor can we.
            let _ = parse(&schema.to_string());
        }
        Err(mistakes) => {
            let first = parse(text).err();
            prop_assert_eq!(first.as_ref(), mistakes.first());
            prop_assert!(!mistakes.is_empty());
            mistakes.iter().try_for_each(|mistake| check_mistake(text, mistake))?;
        }
    }
    for mistake in [parse_as_torch(text).err(), parse_name(text).err()].into_iter().flatten() {
        check_mistake(text, &mistake)?;
    }
    let begin = text.chars().take(40).collect::<String>();
    prop_assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?} for {} bytes, {:?} …",
        start.elapsed(),
        text.len(),
        begin
    );
    Ok(())
}

fn tokens(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(TOKENS), 0..most).prop_map(|tokens| tokens.concat())
}

/// A chosen text with a few bytes replaced, taken out or put in.
fn mutated() -> impl Strategy<Value = String> {
    let lines: Vec<&str> = CHOSEN.lines().collect();
    let edit = (any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(TOKENS));
    (prop::sample::select(lines), prop::collection::vec(edit, 1..6)).prop_map(|(line, edits)| {
        let mut bytes = line.as_bytes().to_vec();
        for (place, taken, put) in edits {
            let at = place.index(bytes.len() + 1);
            let end = (at + taken).min(bytes.len());
            bytes.splice(at..end, put.bytes());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 2_000 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_arguments(text in tokens(40)) {
        check(&format!("ns::f({text}) -> Tensor"))?;
        check(&text)?;
    }

    #[test]
    fn what_is_nearly_right(text in mutated()) {
        check(&text)?;
    }
}

/// Length and nesting: neither a stack that ends nor time that grows with the square.
#[test]
fn long_texts() -> Result<(), TestCaseError> {
    for token in
        TOKENS.iter().chain(&["int a,", "(int,", "int[", "Tensr x,", "[[", "Optional[", "a|", "'x' ", "- ", "\n "])
    {
        check(&format!("ns::f({}) -> Tensor", token.repeat(2_000)))?;
        check(&token.repeat(2_000))?;
    }
    Ok(())
}
