//! What `sharding = pointwise` cannot be said of: torch would give wrong numbers without a word, or fail far from the cause.

use super::schema_text::of_op;
use crate::registration::OpDef;
use torchop_schema::Type;

/// What is wrong with an operator that says it, each to stand after "says `sharding = pointwise` and ".
pub(super) fn not_pointwise(op: &OpDef) -> Vec<String> {
    // What cannot be read is told of by torch, which is given the same text.
    let Ok(schema) = torchop_schema::parse(&of_op(op)) else { return Vec::new() };
    let mut found = Vec::new();
    if !schema.arguments.iter().any(|argument| has_tensor(&argument.ty)) {
        found.push("takes no tensor; drop that".into());
    }
    if schema.returns.is_empty() {
        found.push("returns nothing; drop that".into());
    }
    if schema.is_mutable() {
        let what =
            "writes to its arguments, which torch's sharded tensors do not take; return a new tensor, or drop that";
        found.push(what.into());
    }
    for result in schema.returns.iter().map(|result| &result.ty).filter(|ty| !is_one_tensor(ty)) {
        found.push(format!(
            "returns `{result}`, of which torch's sharded tensors know no parts: each process would give its own; return single \
             tensors, or drop that"
        ));
    }
    for argument in schema.arguments.iter().filter(|argument| argument.kwarg_only && has_tensor(&argument.ty)) {
        found.push(format!(
            "takes the tensor `{}` by name alone, where torch does not move the parts to where they belong; put it before the `*`, \
             or drop that",
            argument.name
        ));
    }
    let has_generator = schema.arguments.iter().any(|argument| has(&argument.ty, &Type::Generator));
    if has_generator || op.tags.contains(&"nondeterministic_seeded") {
        found.push("draws random numbers, which would be each process's own; drop that".into());
    }
    found
}

fn is_one_tensor(ty: &Type) -> bool {
    match ty {
        Type::Optional(inner) => is_one_tensor(inner),
        ty => *ty == Type::Tensor,
    }
}

fn has_tensor(ty: &Type) -> bool {
    has(ty, &Type::Tensor)
}

/// Whether values of the type can hold some of type `part`.
fn has(ty: &Type, part: &Type) -> bool {
    match ty {
        Type::Optional(inner) | Type::List(inner, _) => has(inner, part),
        Type::Dict(key, value) => has(key, part) || has(value, part),
        Type::Tuple(parts) | Type::Union(parts) => parts.iter().any(|inner| has(inner, part)),
        ty => ty == part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::OpHandle;
    use crate::registration::{Constant, Location, SchemaDef};

    fn told(schema: &'static str, tags: &'static [&'static str]) -> String {
        let op = OpDef {
            name: "ns::f",
            overload: "",
            foreign: false,
            schema: SchemaDef::Text(schema),
            arguments: &[],
            tensor_arguments: &[],
            written_arguments: &[],
            returns: 0,
            constant_results: Constant::All,
            autocast: &[],
            effectful: false,
            is_pointwise: true,
            tags,
            location: Location { file: "op.rs", line: 1 },
            handle: OpHandle::new(),
        };
        not_pointwise(&op).join("\n")
    }

    #[test]
    fn what_cannot_be_pointwise() {
        for (schema, text) in [
            ("ns::f(int n) -> Tensor", "takes no tensor"),
            ("ns::f(Tensor x) -> ()", "returns nothing"),
            ("ns::f(Tensor(a!) x) -> Tensor", "writes to its arguments"),
            ("ns::f(Tensor x) -> int", "returns `int`, of which"),
            ("ns::f(Tensor x) -> (Tensor, Tensor[])", "returns `Tensor[]`, of which"),
            ("ns::f(Tensor x, *, Tensor y) -> Tensor", "takes the tensor `y` by name alone"),
            ("ns::f(Tensor x, *, Tensor?[] ys) -> Tensor", "takes the tensor `ys` by name alone"),
            ("ns::f(Tensor x, *, Generator? generator=None) -> Tensor", "draws random numbers"),
        ] {
            assert!(told(schema, &[]).starts_with(text) && !told(schema, &[]).contains('\n'), "{}", told(schema, &[]));
        }
        assert!(told("ns::f(Tensor x) -> Tensor", &["nondeterministic_seeded"]).contains("draws random numbers"));
    }

    #[test]
    fn what_can() {
        for schema in [
            "ns::f(Tensor x) -> Tensor",
            "ns::f(Tensor?[] xs, Tensor? y=None, *, float k=1, str how='a') -> (Tensor, Tensor?)",
        ] {
            assert_eq!(told(schema, &[]), "");
        }
    }
}
