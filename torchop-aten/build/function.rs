//! One operator as one function.

use std::fmt::Write as _;

use torchop_schema::{Argument, Schema, Type};

use super::{names, types};

/// A dtype, a layout, a device and whether memory is pinned, which stand together in schemas: one argument in Rust, as in C++.
const OPTIONS: [(&str, Type); 4] =
    [("dtype", Type::ScalarType), ("layout", Type::Layout), ("device", Type::Device), ("pin_memory", Type::Bool)];

/// The most arguments that a call takes.
const MOST: usize = 30;

/// The text of the function, or why there is none. `text` is the schema as torch has it.
pub(crate) fn text(schema: &Schema, text: &str) -> Result<String, String> {
    let name = &schema.name.name;
    if schema.arguments.len() > MOST {
        return Err(format!("more than {MOST} arguments"));
    }
    let (mut parameters, mut values) = (Vec::new(), Vec::new());
    let mut rest = schema.arguments.as_slice();
    while let [argument, others @ ..] = rest {
        if is_options(rest) {
            parameters.push("options: impl Into<Options>".to_owned());
            values.extend((0..4).map(|part| format!("options.{part}")));
            rest = &rest[OPTIONS.len()..];
            continue;
        }
        let identifier = names::identifier(&argument.name);
        let taken = types::argument(argument, &identifier)?;
        parameters.push(format!("{identifier}: {}", taken.ty));
        values.push(taken.value);
        rest = others;
    }
    let mut results: Vec<Option<String>> = schema.returns.iter().map(types::result).collect::<Result<_, _>>()?;
    if is_masked(schema) {
        // What is not asked for is an undefined tensor.
        results.iter_mut().flatten().for_each(|ty| *ty = format!("Option<{ty}>"));
    }
    let (returns, called, kept) = results_of(&results)?;

    let private = torchop_schema::is_private(&format!("aten::{name}"), &schema.name.overload);
    let mut out = format!("/// `{text}`\n");
    if private {
        out.push_str("///\n/// # Safety\n/// As [`TorchOp::private`].\n");
    }
    let generics = if parameters.iter().any(|parameter| parameter.contains("'a")) { "<'a>" } else { "" };
    let _ = writeln!(
        out,
        "#[inline]\n#[track_caller]\npub {}fn {}{generics}({}) -> Result<{returns}> {{",
        if private { "unsafe " } else { "" },
        names::identifier(&names::function(name, &schema.name.overload)),
        parameters.join(", "),
    );
    let constructor = if private { "unsafe { TorchOp::private" } else { "TorchOp::new" };
    let end = if private { " }" } else { "" };
    let _ =
        writeln!(out, "    static OP: TorchOp = {constructor}(\"aten::{name}\", \"{}\"){end};", schema.name.overload);
    if values.iter().any(|value| value == "options.0") {
        out.push_str("    let options = options.into().parts();\n");
    }
    let tuple = if values.is_empty() { String::new() } else { format!("{},", values.join(", ")) };
    let _ = writeln!(out, "    OP.call_known::<{called}>(({tuple})){kept}\n}}");
    Ok(out)
}

/// Whether an argument says which of the results are wanted.
fn is_masked(schema: &Schema) -> bool {
    let count = schema.returns.len();
    schema.arguments.iter().any(|argument| {
        matches!(&argument.ty, Type::List(element, Some(size)) if **element == Type::Bool && *size as usize == count)
    })
}

fn is_options(arguments: &[Argument]) -> bool {
    arguments.len() >= OPTIONS.len()
        && OPTIONS
            .iter()
            .zip(arguments)
            .all(|((name, ty), argument)| argument.name == *name && argument.ty == Type::Optional(Box::new(ty.clone())))
}

/// What the function returns, what the call returns, and how the one is had from the other: nothing, where all results are
/// arguments.
fn results_of(results: &[Option<String>]) -> Result<(String, String, &'static str), String> {
    let kept: Vec<&str> = results.iter().flatten().map(String::as_str).collect();
    let tuple = |types: &[&str]| match types {
        [one] => (*one).to_owned(),
        several => format!("({})", several.join(", ")),
    };
    if kept.len() == results.len() {
        return Ok((tuple(&kept), tuple(&kept), ""));
    }
    if !kept.is_empty() {
        return Err("some of the results are arguments, and some are not".to_owned());
    }
    Ok(("()".to_owned(), format!("({},)", vec!["Same"; results.len()].join(", ")), ".map(drop)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &str) -> Result<String, String> {
        text(&torchop_schema::parse_as_torch(schema).unwrap(), schema)
    }

    #[test]
    fn arguments_are_as_convenient_as_they_can_be() {
        let code = of("full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor").unwrap();
        assert!(code.contains("pub fn full<'a>(size: impl Into<SymInts<'a>>, fill_value: impl Into<Scalar>, options: impl Into<Options>) -> Result<Tensor> {"), "{code}");
        assert!(
            code.contains(
                "OP.call_known::<Tensor>((size.into(), fill_value.into(), options.0, options.1, options.2, options.3,))"
            ),
            "{code}"
        );
    }

    #[test]
    fn what_is_written_to_is_borrowed_for_it_and_not_returned() {
        let code = of("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)").unwrap();
        assert!(
            code.contains(
                "pub fn add__tensor(self_: &mut Tensor, other: &Tensor, alpha: impl Into<Scalar>) -> Result<()> {"
            ),
            "{code}"
        );
        assert!(code.contains("OP.call_known::<(Same,)>((self_, other, alpha.into(),)).map(drop)"), "{code}");
    }

    #[test]
    fn results_that_are_not_asked_for_are_none() {
        let code = of("_f_backward(Tensor grad, bool[2] output_mask) -> (Tensor, Tensor)").unwrap();
        assert!(code.contains("-> Result<(Option<Tensor>, Option<Tensor>)> {"), "{code}");
    }

    #[test]
    fn torchs_own_are_unsafe_and_what_has_no_type_is_left_out() {
        let code = of("_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)").unwrap();
        assert!(
            code.contains("pub unsafe fn _reshape_alias<'a>(")
                && code.contains("unsafe { TorchOp::private(\"aten::_reshape_alias\", \"\") }"),
            "{code}"
        );
        assert_eq!(
            of("set_.s(Tensor(a!) self, Storage source) -> Tensor(a!)").unwrap_err(),
            "no Rust type for an argument `Storage`"
        );
        assert!(of("qscheme(Tensor self) -> QScheme").unwrap_err().contains("`QScheme`"));
    }
}
