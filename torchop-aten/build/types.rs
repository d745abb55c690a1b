//! The Rust types of arguments and results.

use torchop_schema::{Argument, Return, Type};

/// How an argument stands in the function: its type, and what is handed to torch.
pub(crate) struct Taken {
    pub(crate) ty: String,
    pub(crate) value: String,
}

/// The reason, where there is no type for it.
pub(crate) fn argument(argument: &Argument, name: &str) -> Result<Taken, String> {
    let (ty, optional) = (argument.ty.without_optional(), argument.ty.is_optional());
    let taken = |ty: String, value: String| Taken { ty, value };
    if argument.is_mutable() {
        let written = match ty {
            Type::Tensor => "&mut Tensor",
            Type::List(element, _) if **element == Type::Tensor => "&mut [Tensor]",
            other => return Err(format!("no Rust type for an argument `{other}` that is written to")),
        };
        return Ok(taken(option(written, optional), name.to_owned()));
    }
    let plain = match ty {
        // What is convenient to give has no type of its own inside an `Option`.
        Type::SymInt if !optional => return Ok(taken("impl Into<MaybeSym>".to_owned(), format!("{name}.into()"))),
        Type::Scalar if !optional => return Ok(taken("impl Into<Scalar>".to_owned(), format!("{name}.into()"))),
        Type::List(element, _) if **element == Type::SymInt && !optional => {
            return Ok(taken("impl Into<SymInts<'a>>".to_owned(), format!("{name}.into()")));
        }
        Type::List(element, _) if **element == Type::SymInt => "SymInts<'_>".to_owned(),
        Type::List(element, _) if **element == Type::Tensor => "&[impl TensorRef]".to_owned(),
        Type::List(element, _) if **element == Type::Optional(Box::new(Type::Tensor)) => {
            "&[Option<&Tensor>]".to_owned()
        }
        Type::List(element, Some(size)) if **element == Type::Bool => format!("[bool; {size}]"),
        Type::SymInt => "MaybeSym".to_owned(),
        Type::List(element, _) => format!("&[{}]", one(element)?),
        other => one(other)?.to_owned(),
    };
    if optional && plain.contains("impl ") {
        return Err(format!("no Rust type for an argument `{}`", argument.ty));
    }
    Ok(taken(option(&plain, optional), name.to_owned()))
}

/// The type of one value.
fn one(ty: &Type) -> Result<&'static str, String> {
    Ok(match ty {
        Type::Tensor => "&Tensor",
        Type::Int => "i64",
        Type::Float => "f64",
        Type::Bool => "bool",
        Type::Str => "&str",
        Type::Scalar => "Scalar",
        Type::ScalarType => "DType",
        Type::Layout => "Layout",
        Type::MemoryFormat => "MemoryFormat",
        Type::Device => "Device",
        Type::Stream => "Stream",
        Type::Generator => "&Generator",
        other => return Err(format!("no Rust type for an argument `{other}`")),
    })
}

fn option(ty: &str, optional: bool) -> String {
    if optional { format!("Option<{ty}>") } else { ty.to_owned() }
}

/// The type of a result; `None` for one that is an argument that was written to.
pub(crate) fn result(result: &Return) -> Result<Option<String>, String> {
    if result.is_mutable() {
        return Ok(None);
    }
    let owned = |ty: &Type| match ty {
        Type::Tensor => Ok("Tensor"),
        Type::Int => Ok("i64"),
        Type::SymInt => Ok("SymInt"),
        Type::Float => Ok("f64"),
        Type::Bool => Ok("bool"),
        Type::Scalar => Ok("Scalar"),
        Type::ScalarType => Ok("DType"),
        other => Err(format!("no Rust type for a result `{other}`")),
    };
    Ok(Some(match &result.ty {
        Type::List(element, _) => format!("Vec<{}>", owned(element)?),
        Type::Optional(inner) => format!("Option<{}>", owned(inner)?),
        other => owned(other)?.to_owned(),
    }))
}
