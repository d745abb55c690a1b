//! Schemas as text, which torch parses.

use crate::registration::{ArgumentDef, ClassDef, FieldDef, MethodDef, MethodKind, OpDef, SchemaDef};
use std::borrow::Cow;
use torchop_schema::SchemaType;

/// The schema of an operator: as it was written, or put together from the function's signature.
pub(super) fn of_op(op: &OpDef) -> Cow<'static, str> {
    match op.schema {
        SchemaDef::Text(text) => text.into(),
        SchemaDef::Inferred { arguments, returns } => {
            let name = super::gather::full_name(op);
            let returns = one_or_listed(returns);
            format!("{name}({}) -> {returns}", arguments_text(arguments)).into()
        }
    }
}

/// Whether an operator takes an object of a class. While torch traces, it is given a stand-in of Python's for it.
pub(super) fn takes_objects(op: &OpDef) -> bool {
    let text = of_op(op);
    text.split("->").next().is_some_and(|arguments| arguments.contains("__torch__.torch.classes."))
}

/// The schema of the hidden operator `name`, which has an operator's arguments and results.
pub(super) fn renamed(op: &OpDef, name: &str) -> String {
    let text = of_op(op);
    format!("{name}{}", text.find('(').map_or("", |start| &text[start..]))
}

/// One result stands alone, unless it begins with a parenthesis, which opens a list of results.
fn one_or_listed(types: &[SchemaType]) -> String {
    match types {
        [one] => Some(one.to_string()).filter(|text| !text.starts_with('(')).unwrap_or_else(|| listed(types)),
        several => listed(several),
    }
}

fn listed(types: &[SchemaType]) -> String {
    let types: Vec<String> = types.iter().map(SchemaType::to_string).collect();
    format!("({})", types.join(", "))
}

/// `Tensor(a!) x, SymInt n=3`: what is written to has a letter of its own.
fn arguments_text(arguments: &[ArgumentDef]) -> String {
    let mut letters = 'a'..='z';
    let texts = arguments.iter().map(|argument| {
        let letter = argument.ty.has_mutable().then(|| letters.next()).flatten();
        match letter {
            Some(letter) => with_default(argument, &argument.ty.with_letter(letter).to_string()),
            None => with_default(argument, &argument.ty.to_string()),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn with_default(argument: &ArgumentDef, ty: &str) -> String {
    let name = argument.name;
    match &argument.default {
        Some(default) => format!("{ty} {name}={}", default.text(&argument.ty)),
        None => format!("{ty} {name}"),
    }
}

/// The schema of a method, under the name that torch knows it by. A method has exactly one result.
pub(super) fn of_method(class: &ClassDef, name: &str, method: &MethodDef) -> String {
    let returns = match (method.kind, method.returns) {
        (MethodKind::Init, _) | (_, []) => "NoneType _0".into(),
        (_, [_]) => one_or_listed(method.returns),
        (_, several) => format!("({})", listed(several)),
    };
    let mut arguments: Vec<String> = vec![];
    if method.kind != MethodKind::Static {
        arguments.push(format!("{} self", class.full_name));
    }
    arguments.extend((!method.arguments.is_empty()).then(|| arguments_text(method.arguments)));
    format!("{name}({}) -> {returns}", arguments.join(", "))
}

/// The schema of the hidden operator `name` behind a method's fake: the object's fields, then the method's arguments. One that
/// changes the object returns the fields after the method's results.
pub(super) fn of_fake(name: &str, fields: &[FieldDef], method: &MethodDef, changes: bool) -> String {
    // Torch asks a fake's arguments for a device, of which an object may have none.
    let mut arguments: Vec<String> = changes.then(|| "Tensor _device".into()).into_iter().collect();
    arguments.extend(fields.iter().map(|field| format!("{} _state_{}", field.ty, field.name)));
    arguments.extend((!method.arguments.is_empty()).then(|| arguments_text(method.arguments)));
    if changes {
        let returns: Vec<String> =
            method.returns.iter().chain(fields.iter().map(|field| &field.ty)).map(SchemaType::to_string).collect();
        return format!("{name}({}) -> ({})", arguments.join(", "), returns.join(", "));
    }
    let returns = one_or_listed(method.returns);
    format!("{name}({}) -> {returns}", arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::Location;
    use torchop_schema::{SchemaDefault, SchemaType as T};

    #[test]
    fn an_inferred_schema() {
        const WRITTEN: T = T::Mutable(&T::Tensor);
        const ARGUMENTS: &[ArgumentDef] = &[
            ArgumentDef { name: "self", ty: T::Tensor, default: None },
            ArgumentDef { name: "x", ty: T::Optional(&WRITTEN), default: None },
            ArgumentDef { name: "y", ty: WRITTEN, default: None },
            ArgumentDef { name: "n", ty: T::Int.with_sizes(), default: Some(SchemaDefault::Int(3)) },
            ArgumentDef { name: "a", ty: T::Float, default: Some(SchemaDefault::Int(1)) },
        ];
        let text = |returns| {
            let op = OpDef {
                name: "ns::f",
                overload: "out",
                foreign: false,
                schema: SchemaDef::Inferred { arguments: ARGUMENTS, returns },
                arguments: &[],
                tensor_arguments: &[],
                written_arguments: &[],
                returns: 1,
                constant_results: crate::registration::Constant::Some(&[]),
                autocast: &[],
                effectful: false,
                is_pointwise: false,
                tags: &[],
                location: Location { file: "", line: 0 },
                handle: crate::op::OpHandle::new(),
            };
            of_op(&op).into_owned()
        };
        let head = "ns::f.out(Tensor self, Tensor(a!)? x, Tensor(b!) y, SymInt n=3, float a=1.) -> ";
        assert_eq!(text(&[]), format!("{head}()"));
        assert_eq!(text(&[T::Tensor]), format!("{head}Tensor"));
        assert_eq!(text(&[T::Tuple(&[T::Int, T::Int])]), format!("{head}((int, int))"));
        assert_eq!(text(&[T::List(&T::Tuple(&[T::Int, T::Int]))]), format!("{head}((int, int)[])"));
        const SEVERAL: &[T] = &[T::Tensor, T::Int.with_sizes()];
        assert_eq!(text(SEVERAL), format!("{head}(Tensor, SymInt)"));
    }
}
