//! Names in a schema and names in Rust: which identifier stands for which argument.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// The name that a parameter or an argument goes by: `_x` counts as `x`, and what cannot be a Rust name (`self`) gets an
/// underscore at its end.
pub(crate) fn canonical(name: &str) -> String {
    let bare = match name.strip_prefix('_') {
        Some(rest) if rest.starts_with(|c: char| c.is_alphabetic()) => rest,
        _ => name,
    };
    match bare {
        "self" | "Self" | "super" | "crate" | "_" => format!("{bare}_"),
        bare => bare.to_owned(),
    }
}

/// The name in the schema of a parameter whose schema is inferred: `self` for `self_`.
pub(crate) fn in_schema(name: &Ident) -> String {
    let name = name.unraw().to_string();
    match name.strip_suffix('_') {
        Some(bare @ ("self" | "Self" | "super" | "crate")) => bare.to_owned(),
        _ => name,
    }
}

/// The field or variable of that canonical name; `r#` where it is a keyword in any edition.
pub(crate) fn identifier(canonical: &str, span: Span) -> Ident {
    let keyword = canonical == "gen" || syn::parse_str::<Ident>(canonical).is_err();
    if keyword { Ident::new_raw(canonical, span) } else { Ident::new(canonical, span) }
}

/// A user's identifier under its canonical name, at the user's place.
pub(crate) fn canonical_identifier(written: &Ident) -> Ident {
    identifier(&canonical(&written.unraw().to_string()), written.span())
}

/// What `Method<NAME>` in the runtime is indexed by: FNV-1a of the name.
pub(crate) fn name_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Names of primitive types: a type beside an operator of such a name would hide the primitive in the whole module.
pub(crate) fn is_primitive_type(name: &str) -> bool {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        "f32", "f64",
    ];
    PRIMITIVES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_names() {
        for (name, expected) in [("x", "x"), ("_x", "x"), ("self", "self_"), ("__x", "__x"), ("_", "__"), ("_1", "_1")]
        {
            assert_eq!(canonical(name), expected);
        }
    }

    #[test]
    fn keywords_are_raw() {
        assert_eq!(identifier("type", Span::call_site()).to_string(), "r#type");
        assert_eq!(identifier("gen", Span::call_site()).to_string(), "r#gen");
        assert_eq!(identifier("x", Span::call_site()).to_string(), "x");
    }

    #[test]
    fn fnv_1a() {
        assert_eq!(name_number(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(name_number("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
