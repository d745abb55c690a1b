//! The schema of a definition without one, as far as its types are spelled plainly: for documentation. What torch is
//! told comes from the types themselves.

use crate::item::parameter::Parameter;
use proc_macro2::TokenStream;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypePath};

/// `(Tensor x, SymInt n=3) -> Tensor`, where `defaults` are as torch has them; `None` if a type is not spelled plainly.
pub(crate) fn schema(parameters: &[Parameter], names: &[String], output: &TokenStream) -> Option<String> {
    let mut letters = 'a'..='z';
    let arguments: Option<Vec<String>> = parameters
        .iter()
        .zip(names)
        .map(|(parameter, name)| {
            let ints = if parameter.options.int.is_some() { "int" } else { "SymInt" };
            let ty = guess(&parameter.ty, ints, &mut letters)?;
            let default = parameter.options.default_value().map_or_else(String::new, |default| {
                format!("={}", default.text.replace("true", "True").replace("false", "False"))
            });
            Some(format!("{ty} {name}{default}"))
        })
        .collect();
    let outputs: Option<Vec<String>> = results(output).iter().map(|ty| guess(ty, "SymInt", &mut letters)).collect();
    let outputs = match &outputs?[..] {
        [one] if one.starts_with('(') => format!("({one})"),
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    };
    Some(format!("({}) -> {outputs}", arguments?.join(", ")))
}

/// The results of a function as they are written: the parts of a tuple, plain or in a `Result`.
pub(crate) fn results(output: &TokenStream) -> Vec<Type> {
    let Ok(ty) = syn::parse2::<Type>(output.clone()) else { return Vec::new() };
    let inner = match last_segment(&ty) {
        Some(segment) if segment.ident == "Result" => arguments(segment).into_iter().next().cloned().unwrap_or(ty),
        _ => ty,
    };
    match inner {
        Type::Tuple(tuple) => tuple.elems.into_iter().collect(),
        one => vec![one],
    }
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => path.segments.last(),
        _ => None,
    }
}

fn arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else { return Vec::new() };
    let types = list.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// `ints` is what an `i64` is called.
fn guess(ty: &Type, ints: &str, letters: &mut impl Iterator<Item = char>) -> Option<String> {
    match ty {
        Type::Paren(inner) => guess(&inner.elem, ints, letters),
        Type::Group(inner) => guess(&inner.elem, ints, letters),
        Type::Array(array) => Some(format!("{}[]", guess(&array.elem, ints, letters)?)),
        Type::Tuple(tuple) => {
            let parts: Option<Vec<String>> = tuple.elems.iter().map(|part| guess(part, "int", letters)).collect();
            Some(format!("({})", parts?.join(", ")))
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => Some(format!("{}[]", guess(&slice.elem, ints, letters)?)),
            inner => {
                let name = last_segment(inner)?.ident.to_string();
                match (name.as_str(), reference.mutability.is_some()) {
                    ("Tensor", true) => Some(format!("Tensor({}!)", letters.next()?)),
                    ("Tensor", false) => Some(name),
                    ("str", false) => Some(name),
                    _ => None,
                }
            }
        },
        _ => guess_path(last_segment(ty)?, ints, letters),
    }
}

fn guess_path(segment: &PathSegment, ints: &str, letters: &mut impl Iterator<Item = char>) -> Option<String> {
    let name = segment.ident.to_string();
    Some(match (name.as_str(), &arguments(segment)[..]) {
        ("i64", []) => ints.to_owned(),
        ("f64", []) => "float".to_owned(),
        ("String", []) => "str".to_owned(),
        ("Complex64", []) => "complex".to_owned(),
        ("DType", []) => "ScalarType".to_owned(),
        ("bool" | "Tensor" | "Scalar" | "Layout" | "MemoryFormat" | "Device" | "Stream" | "Generator", []) => name,
        ("Option", [inner]) => format!("{}?", guess(inner, ints, letters)?),
        ("Vec" | "List", [inner]) => format!("{}[]", guess(inner, ints, letters)?),
        ("Dict" | "HashMap" | "BTreeMap", [key, value]) => {
            format!("Dict({}, {})", guess(key, "int", letters)?, guess(value, "int", letters)?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(ty: &str) -> Option<String> {
        guess(&syn::parse_str(ty).unwrap(), "SymInt", &mut ('a'..='z'))
    }

    #[test]
    fn plain_spellings() {
        let cases = [
            ("&Tensor", "Tensor"),
            ("&mut torchop::Tensor", "Tensor(a!)"),
            ("Option<&mut Tensor>", "Tensor(a!)?"),
            ("List<'_, i64>", "SymInt[]"),
            ("&[f64]", "float[]"),
            ("[i64; 3]", "SymInt[]"),
            ("Option<Vec<DType>>", "ScalarType[]?"),
            ("Dict<'_, &str, i64>", "Dict(str, int)"),
            ("(i64, bool)", "(int, bool)"),
        ];
        for (ty, schema) in cases {
            assert_eq!(guessed(ty).as_deref(), Some(schema), "{ty}");
        }
        for ty in ["Mode", "&Counter", "<T as X>::Y", "&mut i64"] {
            assert_eq!(guessed(ty), None, "{ty}");
        }
    }

    #[test]
    fn results_are_counted_as_written() {
        for (output, count) in [("()", 0), ("Result<()>", 0), ("Tensor", 1), ("a::Result<(A, B)>", 2), ("Pair", 1)] {
            assert_eq!(results(&output.parse().unwrap()).len(), count, "{output}");
        }
    }
}
