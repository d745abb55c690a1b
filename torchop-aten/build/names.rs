//! How operators and arguments are called in Rust.

/// Words that no item of Rust may have for a name, but as `r#word`.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// `name`, or `name_overload`, in lower case.
pub(crate) fn function(name: &str, overload: &str) -> String {
    if overload.is_empty() { snake(name) } else { format!("{}_{}", snake(name), snake(overload)) }
}

/// As it stands in code.
pub(crate) fn identifier(name: &str) -> String {
    match name {
        "self" | "super" | "crate" | "Self" => format!("{name}_"),
        word if KEYWORDS.contains(&word) => format!("r#{word}"),
        word => word.to_owned(),
    }
}

/// Lower case, with `_` where a word begins: `dim_IntList` is `dim_int_list`.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit())
            || (before.is_some_and(|before| before.is_ascii_uppercase())
                && after.is_some_and(char::is_ascii_lowercase));
        if letter.is_ascii_uppercase() && begins {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        for (torch, rust) in [
            ("dim_IntList", "dim_int_list"),
            ("Tensor_Tensor_out", "tensor_tensor_out"),
            ("mH", "m_h"),
            ("numpy_T", "numpy_t"),
        ] {
            assert_eq!(snake(torch), rust);
        }
        assert_eq!(function("add_", "Tensor"), "add__tensor");
        assert_eq!(function("softmax", ""), "softmax");
        assert_eq!([identifier("where"), identifier("self"), identifier("out")], ["r#where", "self_", "out"]);
    }
}
