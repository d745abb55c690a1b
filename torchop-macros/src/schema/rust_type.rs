//! Which Rust type stands for which type of the schema language.

use proc_macro2::TokenStream;
use quote::quote;
use torchop_schema::Type;

/// For messages.
pub(crate) const SUPPORTED: &str = "`Tensor`, `int`, `SymInt`, `float`, `bool`, `str`, `complex`, `Scalar`, `ScalarType`, \
     `Layout`, `MemoryFormat`, `Device`, `Stream`, `Generator`, classes, and `T?`, `T[]`, `Dict(K, V)` and `(A, B)` of these";

/// The Rust type of an argument, as a user would write it; `None` if torchop has none. Fakes see `FakeTensor`s and
/// symbolic sizes.
pub(crate) fn argument(ty: &Type, in_fake: bool) -> Option<String> {
    Some(match ty {
        Type::Tensor if in_fake => "&FakeTensor".to_owned(),
        Type::Tensor => "&Tensor".to_owned(),
        Type::Str => "&str".to_owned(),
        Type::Class(name) => format!("&{}", name.rsplit('.').next().unwrap_or_default()),
        Type::Optional(inner) => format!("Option<{}>", argument(inner, in_fake)?),
        Type::List(inner, Some(size @ 1..=32)) => format!("[{}; {size}]", argument(inner, in_fake)?),
        Type::List(inner, _) => format!("List<'_, {}>", argument(inner, in_fake)?),
        Type::Dict(key, value) => format!("Dict<'_, {}, {}>", argument(key, in_fake)?, argument(value, in_fake)?),
        Type::Tuple(parts) => tuple(parts.iter().map(|part| argument(part, in_fake)))?,
        plain => value(plain, in_fake)?.to_owned(),
    })
}

/// The Rust type of one result, likewise.
pub(crate) fn output(ty: &Type, in_fake: bool) -> Option<String> {
    Some(match ty {
        Type::Tensor if in_fake => "FakeTensor".to_owned(),
        Type::Tensor => "Tensor".to_owned(),
        Type::Str => "String".to_owned(),
        Type::Optional(inner) => format!("Option<{}>", output(inner, in_fake)?),
        Type::List(inner, _) => format!("Vec<{}>", output(inner, in_fake)?),
        // Rust's maps have no keys that cannot be compared.
        Type::Dict(key, value) if matches!(**key, Type::Int | Type::Bool | Type::Str) => {
            format!("HashMap<{}, {}>", output(key, in_fake)?, output(value, in_fake)?)
        }
        Type::Tuple(parts) => tuple(parts.iter().map(|part| output(part, in_fake)))?,
        plain => value(plain, in_fake)?.to_owned(),
    })
}

/// `(A, B)`, of as many parts as the runtime has conversions for.
fn tuple(parts: impl ExactSizeIterator<Item = Option<String>>) -> Option<String> {
    match parts.len() {
        1 => parts.map(|part| part.map(|part| format!("({part},)"))).next()?,
        2..=6 => Some(format!("({})", parts.collect::<Option<Vec<String>>>()?.join(", "))),
        _ => None,
    }
}

/// The return type of a kernel, with `Result`.
pub(crate) fn outputs<'t>(types: impl IntoIterator<Item = &'t Type>, in_fake: bool) -> String {
    let types: Vec<String> =
        types.into_iter().map(|ty| output(ty, in_fake).unwrap_or_else(|| "_".to_owned())).collect();
    match &types[..] {
        // A tuple alone would be several results.
        [one] if one.starts_with('(') => format!("Result<({one},)>"),
        [one] => format!("Result<{one}>"),
        all => format!("Result<({})>", all.join(", ")),
    }
}

/// Types that are the same on the way in and out.
fn value(ty: &Type, in_fake: bool) -> Option<&'static str> {
    Some(match ty {
        Type::SymInt if in_fake => "SymInt",
        Type::Int | Type::SymInt => "i64",
        Type::Float => "f64",
        Type::Bool => "bool",
        Type::Complex => "Complex64",
        Type::Scalar => "Scalar",
        Type::ScalarType => "DType",
        Type::Layout => "Layout",
        Type::MemoryFormat => "MemoryFormat",
        Type::Device => "Device",
        Type::Stream => "Stream",
        Type::Generator => "Generator",
        _ => return None,
    })
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
        Type::Complex => quote!(__torchop::SchemaType::Complex),
        Type::Scalar => quote!(__torchop::SchemaType::Scalar),
        Type::ScalarType => quote!(__torchop::SchemaType::ScalarType),
        Type::Layout => quote!(__torchop::SchemaType::Layout),
        Type::MemoryFormat => quote!(__torchop::SchemaType::MemoryFormat),
        Type::Device => quote!(__torchop::SchemaType::Device),
        Type::Stream => quote!(__torchop::SchemaType::Stream),
        Type::Generator => quote!(__torchop::SchemaType::Generator),
        Type::Class(name) => quote!(__torchop::SchemaType::Class(#name)),
        Type::Optional(inner) => {
            let inner = constant(inner);
            quote!(__torchop::SchemaType::Optional(&#inner))
        }
        Type::List(inner, Some(size)) => {
            let inner = constant(inner);
            quote!(__torchop::SchemaType::Array(&#inner, #size))
        }
        Type::List(inner, None) => {
            let inner = constant(inner);
            quote!(__torchop::SchemaType::List(&#inner))
        }
        Type::Dict(key, value) => {
            let (key, value) = (constant(key), constant(value));
            quote!(__torchop::SchemaType::Dict(&#key, &#value))
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(constant);
            quote!(__torchop::SchemaType::Tuple(&[#(#parts),*]))
        }
        // Refused when the schema was read.
        _ => quote!(__torchop::SchemaType::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(inner: Type) -> Type {
        Type::List(Box::new(inner), None)
    }

    fn optional(inner: Type) -> Type {
        Type::Optional(Box::new(inner))
    }

    #[test]
    fn arguments() {
        let dict = Type::Dict(Box::new(Type::Str), Box::new(Type::Tensor));
        let cases = [
            (Type::Tensor, "&Tensor", "&FakeTensor"),
            (optional(Type::Tensor), "Option<&Tensor>", "Option<&FakeTensor>"),
            (list(Type::SymInt), "List<'_, i64>", "List<'_, SymInt>"),
            (optional(list(Type::Tensor)), "Option<List<'_, &Tensor>>", "Option<List<'_, &FakeTensor>>"),
            (Type::List(Box::new(Type::Int), Some(3)), "[i64; 3]", "[i64; 3]"),
            (dict, "Dict<'_, &str, &Tensor>", "Dict<'_, &str, &FakeTensor>"),
            (Type::Tuple(vec![Type::Device, Type::Scalar]), "(Device, Scalar)", "(Device, Scalar)"),
            (Type::Class("__torch__.torch.classes.a.Name".into()), "&Name", "&Name"),
        ];
        for (ty, kernel, fake) in cases {
            assert_eq!(argument(&ty, false).as_deref(), Some(kernel));
            assert_eq!(argument(&ty, true).as_deref(), Some(fake));
        }
        for ty in [Type::Any, Type::Storage, list(Type::Any), Type::Tuple(vec![])] {
            assert_eq!(argument(&ty, false), None);
        }
    }

    #[test]
    fn results() {
        assert_eq!(outputs([], false), "Result<()>");
        assert_eq!(outputs([&Type::Tensor, &Type::SymInt], false), "Result<(Tensor, i64)>");
        assert_eq!(outputs([&Type::Tensor, &Type::SymInt], true), "Result<(FakeTensor, SymInt)>");
        assert_eq!(outputs([&Type::Tuple(vec![Type::Str])], true), "Result<((String,),)>");
        let floats = Type::Dict(Box::new(Type::Float), Box::new(Type::Int));
        assert_eq!((output(&floats, false), argument(&floats, false).as_deref()), (None, Some("Dict<'_, f64, i64>")));
    }
}
