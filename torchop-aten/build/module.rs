//! All functions, and the list of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use torchop_schema::OperatorName;

use super::{function, names};

/// The text of the module.
pub(crate) fn text(schemas: &[String]) -> String {
    let mut out = String::new();
    let (mut functions, mut left_out) = (Vec::new(), Vec::new());
    let mut overloads: BTreeMap<String, Vec<OperatorName>> = BTreeMap::new();
    let mut taken = std::collections::HashSet::new();
    for text in schemas {
        let schema = torchop_schema::parse_as_torch(text);
        let made = schema.map_err(|error| error.to_string()).and_then(|schema| {
            let name = names::function(&schema.name.name, &schema.name.overload);
            let code = function::text(&schema, text)?;
            if !taken.insert(name.clone()) {
                return Err(format!("another operator is `{name}` in Rust"));
            }
            Ok((schema.name, name, code))
        });
        match made {
            Ok((operator, name, code)) => {
                out.push_str(&code);
                functions.push((name, text.as_str()));
                overloads.entry(operator.name.clone()).or_default().push(operator);
            }
            Err(reason) => left_out.push((text.as_str(), reason.lines().next().unwrap_or_default().to_owned())),
        }
    }
    for (name, overloads) in &overloads {
        let short = names::snake(name);
        let Some(main) = main_overload(overloads).filter(|_| !taken.contains(&short)) else { continue };
        let full = names::function(name, main);
        let _ = writeln!(out, "#[doc(inline)]\npub use self::{full} as {};", names::identifier(&short));
    }
    list(
        &mut out,
        "FUNCTIONS",
        "The functions and their schemas.",
        functions.iter().map(|(name, text)| (name.as_str(), *text)),
    );
    list(
        &mut out,
        "LEFT_OUT",
        "The schemas of operators that have no function here, and why.",
        left_out.iter().map(|(text, reason)| (*text, reason.as_str())),
    );
    out
}

/// The overload that the operator's name alone stands for, where no overload is called so: the one for tensors, else the first
/// in torch's order that writes to no `out`.
fn main_overload(overloads: &[OperatorName]) -> Option<&str> {
    let all = || overloads.iter().map(|operator| operator.overload.as_str());
    all().find(|overload| *overload == "Tensor").or_else(|| {
        all().find(|overload| *overload != "out" && !overload.ends_with("_out") && !overload.starts_with("out_"))
    })
}

fn list<'t>(out: &mut String, name: &str, doc: &str, pairs: impl Iterator<Item = (&'t str, &'t str)>) {
    let _ = writeln!(out, "/// {doc}\npub const {name}: &[(&str, &str)] = &[");
    for (first, second) in pairs {
        let _ = writeln!(out, "    ({first:?}, {second:?}),");
    }
    out.push_str("];\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_alone_stands_for_the_overload_of_tensors() {
        let schemas = [
            "eq.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)",
            "eq.Scalar(Tensor self, Scalar other) -> Tensor",
            "eq.Tensor(Tensor self, Tensor other) -> Tensor",
            "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
            "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
            "qscheme(Tensor self) -> QScheme",
        ];
        let code = text(&schemas.map(String::from));
        assert!(
            code.contains("pub use self::eq_tensor as eq;") && code.contains("pub use self::softmax_int as softmax;")
        );
        assert!(!code.contains("as sum;") && code.contains("pub fn sum("));
        assert!(
            code.contains(
                "(\"softmax_int\", \"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor\"),"
            )
        );
        assert!(code.contains("(\"qscheme(Tensor self) -> QScheme\", \"no Rust type for a result `QScheme`\"),"));
    }
}
