//! Which Rust type stands for which type of the schema language.

use proc_macro2::TokenStream;
use quote::quote;
use torchop_schema::Type;

/// For messages.
pub(crate) const SUPPORTED: &str = "`Tensor`, `int`, `SymInt`, `float`, `bool`, `str`, and `T?` and `T[]` of these";

/// The Rust type of an argument, as a user would write it; `None` if torchop has none yet. Fakes see `FakeTensor`s and
/// symbolic sizes.
pub(crate) fn argument(ty: &Type, in_fake: bool) -> Option<String> {
    Some(match ty {
        Type::Tensor if in_fake => "&FakeTensor".to_owned(),
        Type::Tensor => "&Tensor".to_owned(),
        Type::Str => "&str".to_owned(),
        Type::Optional(inner) => format!("Option<{}>", argument(inner, in_fake)?),
        Type::List(inner, _) => format!("List<'_, {}>", argument(inner, in_fake)?),
        plain => number(plain, in_fake)?.to_owned(),
    })
}

/// The Rust type of one result, likewise.
pub(crate) fn output(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Tensor => "Tensor".to_owned(),
        Type::Str => "String".to_owned(),
        Type::Optional(inner) => format!("Option<{}>", output(inner)?),
        Type::List(inner, _) => format!("Vec<{}>", output(inner)?),
        plain => number(plain, false)?.to_owned(),
    })
}

/// The return type of a kernel, with `Result`.
pub(crate) fn outputs<'t>(types: impl IntoIterator<Item = &'t Type>) -> String {
    let types: Vec<String> = types.into_iter().map(|ty| output(ty).unwrap_or_else(|| "_".to_owned())).collect();
    match &types[..] {
        [one] => format!("Result<{one}>"),
        all => format!("Result<({})>", all.join(", ")),
    }
}

fn number(ty: &Type, in_fake: bool) -> Option<&'static str> {
    match ty {
        Type::SymInt if in_fake => Some("SymInt"),
        Type::Int | Type::SymInt => Some("i64"),
        Type::Float => Some("f64"),
        Type::Bool => Some("bool"),
        _ => None,
    }
}

/// Whether sizes occur in it, which are symbolic in fakes.
pub(crate) fn has_sizes(ty: &Type) -> bool {
    match ty {
        Type::SymInt => true,
        Type::Optional(inner) | Type::List(inner, _) => has_sizes(inner),
        _ => false,
    }
}

/// The type as a constant of the runtime's.
pub(crate) fn constant(ty: &Type) -> TokenStream {
    match ty {
        Type::Tensor => quote!(__torchop::SchemaType::Tensor),
        Type::Int => quote!(__torchop::SchemaType::Int),
        Type::SymInt => quote!(__torchop::SchemaType::SymInt),
        Type::Float => quote!(__torchop::SchemaType::Float),
        Type::Bool => quote!(__torchop::SchemaType::Bool),
        Type::Str => quote!(__torchop::SchemaType::Str),
        Type::Optional(inner) => {
            let inner = constant(inner);
            quote!(__torchop::SchemaType::Optional(&#inner))
        }
        Type::List(inner, _) => {
            let inner = constant(inner);
            quote!(__torchop::SchemaType::List(&#inner))
        }
        // Refused when the schema was read.
        _ => quote!(__torchop::SchemaType::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_types() {
        let list = |inner| Type::List(Box::new(inner), None);
        let optional = |inner| Type::Optional(Box::new(inner));
        let cases = [
            (Type::Tensor, "&Tensor", "&FakeTensor"),
            (optional(Type::Tensor), "Option<&Tensor>", "Option<&FakeTensor>"),
            (list(Type::SymInt), "List<'_, i64>", "List<'_, SymInt>"),
            (optional(list(Type::Tensor)), "Option<List<'_, &Tensor>>", "Option<List<'_, &FakeTensor>>"),
        ];
        for (ty, kernel, fake) in cases {
            assert_eq!(argument(&ty, false).as_deref(), Some(kernel));
            assert_eq!(argument(&ty, true).as_deref(), Some(fake));
        }
        assert_eq!(argument(&Type::Device, false), None);
        assert_eq!(outputs([]), "Result<()>");
        assert_eq!(outputs([&Type::Tensor, &Type::Int]), "Result<(Tensor, i64)>");
    }
}
