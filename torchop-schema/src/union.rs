//! How torch folds `Union` and `T?`: by its subtype relation, so that `int??` is `int?`, `Union(int, None)` is
//! `int?`, and `Union(Any, int)` is refused.

use crate::types::Type;

/// A fold that leaves one type only, or none, which torch refuses.
#[derive(Debug)]
pub(crate) struct FoldsToOne;

/// `inner?`
pub(crate) fn optional(inner: Type) -> Result<Type, FoldsToOne> {
    let parts = standardise(vec![inner.clone(), Type::None])?;
    let content = if parts.len() == 2 {
        parts.into_iter().find(|part| *part != Type::None).unwrap_or(Type::None)
    } else if inner == Type::Scalar || matches!(&inner, Type::Union(p) if p.len() == 3 && holds_numbers(p)) {
        Type::Scalar
    } else {
        union(parts.into_iter().filter(|part| !is_subtype(part, &Type::None)).collect())?
    };
    Ok(Type::Optional(Box::new(content)))
}

/// `Union(parts)`
pub(crate) fn union(parts: Vec<Type>) -> Result<Type, FoldsToOne> {
    let parts = standardise(parts)?;
    let has = |ty: Type| parts.contains(&ty);
    if has(Type::None) {
        if parts.len() == 4 && has(Type::Int) && has(Type::Float) && has(Type::Complex) {
            return optional(Type::Scalar);
        }
        if let [a, b] = &parts[..] {
            return optional(if *a == Type::None { b.clone() } else { a.clone() });
        }
    }
    Ok(Type::Union(parts))
}

/// Whether a union of `parts` can hold every number.
pub(crate) fn holds_numbers(parts: &[Type]) -> bool {
    [Type::Int, Type::Float, Type::Complex].iter().all(|ty| holds(parts, ty))
}

fn holds(parts: &[Type], ty: &Type) -> bool {
    if *ty == Type::Scalar {
        return holds_numbers(parts);
    }
    parts.iter().any(|part| is_subtype(ty, part))
}

fn standardise(parts: Vec<Type>) -> Result<Vec<Type>, FoldsToOne> {
    let mut flat = Vec::new();
    for part in parts {
        flatten(part, &mut flat);
    }
    fold_subtypes(&mut flat);
    flat.sort_by_cached_key(|ty| (rank(ty), ty.to_string()));
    if flat.len() < 2 { Err(FoldsToOne) } else { Ok(flat) }
}

fn flatten(ty: Type, into: &mut Vec<Type>) {
    match ty {
        Type::Union(parts) => parts.into_iter().for_each(|part| flatten(part, into)),
        Type::Optional(inner) => {
            flatten(*inner, into);
            into.push(Type::None);
        }
        Type::Scalar => into.extend([Type::Int, Type::Float, Type::Complex]),
        other => into.push(other),
    }
}

/// Replaces pairs by what both are, from right to left. The order of the steps is torch's: it decides which of two
/// types stays.
fn fold_subtypes(types: &mut Vec<Type>) {
    let Some(mut end) = types.len().checked_sub(1) else { return };
    for i in (1..types.len()).rev() {
        for j in (0..=(i - 1).min(end)).rev() {
            let none = |k: usize| is_subtype(&types[k], &Type::None);
            if none(i) != none(j) {
                continue;
            }
            if let Some(unified) = unify(&types[i], &types[j]) {
                types[j] = unified;
                types[i] = types[end].clone();
                end = end.saturating_sub(1);
                break;
            }
        }
    }
    types.truncate(end + 1);
}

fn unify(a: &Type, b: &Type) -> Option<Type> {
    if is_subtype(a, b) {
        return Some(b.clone());
    }
    if is_subtype(b, a) {
        return Some(a.clone());
    }
    match (a, b) {
        (Type::None, other) | (other, Type::None) => optional(other.clone()).ok(),
        (Type::Optional(inner), other) | (other, Type::Optional(inner)) => optional(unify(inner, other)?).ok(),
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| unify(a, b)).collect::<Option<_>>().map(Type::Tuple)
        }
        (Type::Future(a), Type::Future(b)) => Some(Type::Future(Box::new(unify(a, b)?))),
        _ => None,
    }
}

fn is_subtype(a: &Type, b: &Type) -> bool {
    let special = match (a, b) {
        (Type::None, Type::Optional(_)) | (Type::Class(_), Type::AnyClass) => true,
        (Type::Scalar, Type::Union(parts)) => return holds_numbers(parts),
        (Type::Int | Type::Float | Type::Complex, Type::Scalar) => true,
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_subtype(a, b)),
        (Type::Future(a), Type::Future(b)) | (Type::Await(a), Type::Await(b)) => is_subtype(a, b),
        (Type::Optional(a), Type::Optional(b)) => return is_subtype(a, b),
        (Type::Optional(a), Type::Union(parts)) => return holds(parts, &Type::None) && holds(parts, a),
        (Type::Union(parts), b) => return union_is_subtype(parts, b),
        _ => false,
    };
    special
        || *b == Type::Any
        || is_same(a, b)
        || match b {
            Type::Optional(inner) => is_subtype(a, inner),
            Type::Union(parts) => parts.iter().any(|part| is_subtype(a, part)),
            _ => false,
        }
}

/// Equality, where all type variables are equal.
fn is_same(a: &Type, b: &Type) -> bool {
    let all = |a: &[Type], b: &[Type]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b));
    match (a, b) {
        (Type::Variable(_), Type::Variable(_)) => true,
        (Type::Optional(a), Type::Optional(b))
        | (Type::List(a, _), Type::List(b, _))
        | (Type::Future(a), Type::Future(b))
        | (Type::Await(a), Type::Await(b))
        | (Type::RRef(a), Type::RRef(b)) => is_same(a, b),
        (Type::Dict(k, v), Type::Dict(l, w)) => is_same(k, l) && is_same(v, w),
        (Type::Tuple(a), Type::Tuple(b)) | (Type::Union(a), Type::Union(b)) => all(a, b),
        (a, b) => a == b,
    }
}

fn union_is_subtype(parts: &[Type], b: &Type) -> bool {
    let numbers = [Type::Int, Type::Float, Type::Complex];
    let any_of = |targets: &[Type]| parts.iter().all(|part| targets.iter().any(|t| is_subtype(part, t)));
    match b {
        Type::Union(targets) => any_of(targets),
        Type::Optional(inner) if **inner == Type::Scalar => {
            any_of(&[Type::None, Type::Int, Type::Float, Type::Complex])
        }
        Type::Optional(inner) => any_of(&[Type::None, (**inner).clone()]),
        Type::Scalar => any_of(&numbers),
        other => any_of(std::slice::from_ref(other)),
    }
}

/// Torch's order of the kinds of types.
fn rank(ty: &Type) -> u8 {
    match ty {
        Type::Any => 0,
        Type::AnyEnum => 2,
        Type::Tensor => 3,
        Type::Storage => 4,
        Type::Tuple(_) => 5,
        Type::List(..) => 6,
        Type::Dict(..) => 7,
        Type::Scalar => 8,
        Type::Float => 9,
        Type::Complex => 10,
        Type::Future(_) => 11,
        Type::Await(_) => 12,
        Type::RRef(_) => 13,
        Type::Int => 14,
        Type::None => 15,
        Type::Str => 16,
        Type::Generator => 17,
        Type::Quantizer => 18,
        Type::Bool => 19,
        Type::Optional(_) => 20,
        Type::Variable(_) => 21,
        Type::Device => 22,
        Type::Stream => 23,
        Type::Class(_) => 25,
        Type::Capsule => 27,
        Type::QScheme => 29,
        Type::ScalarType => 30,
        Type::Layout => 31,
        Type::MemoryFormat => 32,
        Type::AnyClass => 35,
        Type::SymInt => 36,
        Type::SymBool => 38,
        Type::Union(_) => 39,
    }
}

#[cfg(test)]
mod tests {
    use super::{optional, union};
    use crate::types::Type;

    fn shown(ty: Result<Type, super::FoldsToOne>) -> String {
        ty.map_or_else(|_| "refused".into(), |ty| ty.to_string())
    }

    /// The right-hand sides were printed by torch 2.15.
    #[test]
    fn folds() {
        assert_eq!(shown(optional(Type::Optional(Box::new(Type::Int)))), "int?");
        assert_eq!(shown(optional(Type::Scalar)), "Scalar?");
        assert_eq!(shown(optional(Type::Optional(Box::new(Type::Scalar)))), "Union(Scalar)?");
        assert_eq!(shown(optional(Type::None)), "refused");
        assert_eq!(shown(union(vec![Type::Int, Type::Float])), "Union(float, int)");
        assert_eq!(shown(union(vec![Type::Int, Type::None])), "int?");
        assert_eq!(shown(union(vec![Type::Scalar, Type::None])), "Scalar?");
        assert_eq!(shown(union(vec![Type::Scalar, Type::Str])), "Union(, str, Scalar)");
        assert_eq!(shown(union(vec![Type::Any, Type::Int])), "refused");
        assert_eq!(shown(union(vec![Type::Int])), "refused");
    }
}
