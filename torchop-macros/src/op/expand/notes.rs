//! For the documentation of an operator: where torch will be unkind to what its schema says, though it takes it.

use torchop_schema::{Schema, Type};

/// Paragraphs; empty where there is nothing to say.
pub(super) fn of(schema: &str) -> String {
    let Ok(schema) = torchop_schema::parse(schema) else { return String::new() };
    [results(&schema), sizes(&schema)].into_iter().flatten().map(|note| format!("\n\n{note}")).collect()
}

/// Results that torch compiles into no package, or with the fake's value in their place.
fn results(schema: &Schema) -> Option<String> {
    let is_tensor = |ty: &Type| match ty {
        Type::Optional(inner) | Type::List(inner, _) => **inner == Type::Tensor,
        plain => *plain == Type::Tensor,
    };
    let other = schema.returns.iter().map(|output| &output.ty).find(|ty| !is_tensor(ty))?;
    Some(format!(
        "AOTInductor packages compute no result of type `{other}`: the fake's value becomes part of the package, or there is \
         an error. Where one is to be made, return a tensor, such as one without dimensions."
    ))
}

/// Names that sizes have in torch's own schemas, where they are `SymInt`.
const SIZES: [&str; 22] = [
    "size",
    "sizes",
    "shape",
    "shapes",
    "output_size",
    "input_size",
    "input_sizes",
    "sym_size",
    "kernel_size",
    "length",
    "lengths",
    "num_rows",
    "num_cols",
    "rows",
    "cols",
    "height",
    "width",
    "depth",
    "numel",
    "batch",
    "batch_size",
    "storage_offset",
];

/// `int` where a size is likely meant.
fn sizes(schema: &Schema) -> Option<String> {
    let is_int = |ty: &Type| match ty.without_optional() {
        Type::List(inner, _) => **inner == Type::Int,
        plain => *plain == Type::Int,
    };
    let argument =
        schema.arguments.iter().find(|argument| is_int(&argument.ty) && SIZES.contains(&argument.name.as_str()))?;
    let ty = argument.ty.to_string();
    let (name, sym) = (&argument.name, ty.replace("int", "SymInt"));
    Some(format!(
        "A compiled graph holds `{ty} {name}` fast, and is compiled again for each new value. If it is a size, `{sym} {name}` \
         keeps it symbolic."
    ))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn results_that_are_no_tensors() {
        for ty in ["int", "SymInt", "float[]", "(Tensor, int)", "str?", "Dict(str, Tensor)"] {
            assert!(of(&format!("ns::f(Tensor x) -> {ty}")).contains("AOTInductor"), "{ty}");
        }
        for ty in ["Tensor", "Tensor?", "Tensor[]", "(Tensor, Tensor?)", "()"] {
            assert_eq!(of(&format!("ns::f(Tensor x) -> {ty}")), "", "{ty}");
        }
    }

    #[test]
    fn sizes_that_are_held_fast() {
        let note = of("ns::f(Tensor x, int[2]? output_size=None) -> Tensor");
        assert!(note.contains("`int[2]? output_size`") && note.contains("`SymInt[2]? output_size`"), "{note}");
        for argument in ["SymInt size", "int k", "float height", "int[] dims", "str shape"] {
            assert_eq!(of(&format!("ns::f(Tensor x, {argument}) -> Tensor")), "", "{argument}");
        }
    }

    #[test]
    fn nothing_is_said_of_what_cannot_be_read() {
        assert_eq!(of("nonsense"), "");
    }
}
