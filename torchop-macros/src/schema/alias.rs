//! Alias annotations: `Tensor(a!)` on arguments, and nothing else.

use super::Report;
use torchop_schema::{Alias, Argument, Schema, Type};

/// ```text
/// f(Tensor(a!) x) -> ()                  taken
/// f(Tensor! x) -> ()                     taken, and given a letter
/// f(Tensor(a) x) -> Tensor(a)            a view
/// f(Tensor(a!) x) -> Tensor(a!)          torch.compile refuses it
/// f(Tensor(a!)[] x) -> ()                taken
/// f(Tensor[](a!) x) -> ()                the list itself
/// f(int(a!) x) -> ()                     no tensor
/// f(Tensor(a!) x, Tensor(a!) y) -> ()    one letter for two
/// f(Tensor(a!) x) -> int                 torch.compile refuses it
/// ```
pub(super) fn check(schema: &Schema, report: &Report<'_>) {
    let mut letters: Vec<&str> = Vec::new();
    let mut has_view = false;
    for argument in &schema.arguments {
        let Some(alias) = &argument.alias else { continue };
        if !alias.is_write && alias.contained.as_ref().is_none_or(|elements| !elements.is_write) {
            has_view = true;
            if !report.foreign {
                view(argument.type_span.clone(), report);
            }
        } else if let Some((message, help)) = refusal(argument, alias, &letters) {
            report.at(argument.type_span.clone(), message, help);
        }
        letters.extend(alias.before.iter().map(String::as_str));
        letters.extend(alias.contained.iter().flat_map(|elements| &elements.before).map(String::as_str));
    }
    for output in &schema.returns {
        match &output.alias {
            Some(_) if report.foreign => report.at(
                output.type_span.clone(),
                "torchop serves no operator whose result is its argument or a view of it",
                "leave this operator to its library, or write one of your own that returns a new tensor or nothing",
            ),
            Some(alias) if alias.is_write => report.at(
                output.type_span.clone(),
                "a result cannot be an argument that was written to: `torch.compile` refuses it",
                "return nothing, `-> ()`: who calls has the tensor",
            ),
            Some(_) if !has_view => view(output.type_span.clone(), report),
            None if schema.is_mutable() && output.ty != Type::Tensor => report.at(
                output.type_span.clone(),
                format!("`torch.compile` refuses `{}` as a result where arguments are written to", output.ty),
                "return tensors or nothing: a number as a tensor without dimensions",
            ),
            _ => {}
        }
    }
}

fn view(span: std::ops::Range<usize>, report: &Report<'_>) {
    report.at(
        span,
        "an operator cannot return a view of its argument",
        "leave the alias annotation out, and return a new tensor",
    );
}

/// Why an annotation with `!` does not do.
fn refusal(argument: &Argument, alias: &Alias, letters: &[&str]) -> Option<(String, String)> {
    let (name, ty) = (&argument.name, &argument.ty);
    if let Type::List(element, _) = ty {
        return refusal_in_list(argument, alias, element, letters);
    }
    if let Type::List(..) = ty.without_optional() {
        let message = "a list whose tensors are written to cannot be left out".to_owned();
        return Some((message, format!("write `Tensor(a!)[] {name}`, and give an empty list")));
    }
    let mark = if ty.is_optional() { "?" } else { "" };
    if *ty.without_optional() != Type::Tensor {
        return Some((format!("`{ty}` is no tensor, so nothing can be written to it"), format!("write `{ty} {name}`")));
    }
    if is_short(alias) {
        return None;
    }
    let free = free_letter(|letter| letters.contains(&letter));
    let [letter] = &alias.before[..] else {
        return Some((
            "an argument that is written to has one letter".to_owned(),
            format!("write `Tensor({free}!){mark} {name}`"),
        ));
    };
    if alias.before != alias.after || letter == "*" {
        return Some((
            "an argument that is written to cannot become a view of another".to_owned(),
            format!("write `Tensor({free}!){mark} {name}`"),
        ));
    }
    letters.contains(&letter.as_str()).then(|| {
        (
            format!("the letter `{letter}` stands at another argument already"),
            format!("give each a letter of its own: `Tensor({free}!){mark} {name}`"),
        )
    })
}

/// `Tensor(a!)[] x`, and nothing else.
fn refusal_in_list(argument: &Argument, alias: &Alias, element: &Type, letters: &[&str]) -> Option<(String, String)> {
    let name = &argument.name;
    if *element != Type::Tensor {
        return Some((
            format!("only a list of tensors can be written to, not `{}`", argument.ty),
            format!("write `{} {name}`", argument.ty),
        ));
    }
    let free = free_letter(|letter| letters.contains(&letter));
    let write = format!("write `Tensor({free}!)[] {name}`");
    let elements = alias.contained.as_deref();
    let has_own = alias.before.is_empty() && alias.after.is_empty();
    match elements.map(|elements| (&elements.before[..], elements.before == elements.after)) {
        Some(([letter], true)) if has_own && letter != "*" => letters.contains(&letter.as_str()).then(|| {
            (
                format!("the letter `{letter}` stands at another argument already"),
                format!("give each a letter of its own: {write}"),
            )
        }),
        _ => Some(("a list whose tensors are written to has one letter, at the tensors".to_owned(), write)),
    }
}

/// `Tensor! x`: torch makes a letter up.
fn is_short(alias: &Alias) -> bool {
    alias.after.is_empty() && alias.contained.is_none()
}

fn free_letter(taken: impl Fn(&str) -> bool) -> String {
    ('a'..='z').map(String::from).find(|letter| !taken(letter)).unwrap_or_else(|| "z".to_owned())
}

/// The text with a letter of its own for each `Tensor!`, whose short form some of torch's passes do not know.
pub(super) fn with_letters(text: &str, schema: &Schema) -> String {
    let aliases = schema.arguments.iter().filter_map(|argument| argument.alias.as_ref());
    let mut taken: Vec<String> = aliases.flat_map(|alias| alias.before.clone()).collect();
    let mut lettered = String::new();
    let mut done = 0;
    for argument in &schema.arguments {
        if !argument.alias.as_ref().is_some_and(|alias| alias.is_write && is_short(alias)) {
            continue;
        }
        let Some(at) = text.get(argument.type_span.clone()).and_then(|ty| ty.find('!')) else { continue };
        let letter = free_letter(|letter| taken.iter().any(|other| other == letter));
        let at = argument.type_span.start + at;
        lettered.push_str(text.get(done..at).unwrap_or_default());
        lettered.push_str(&format!("({letter}!)"));
        taken.push(letter);
        done = at + 1;
    }
    lettered.push_str(text.get(done..).unwrap_or_default());
    lettered
}

#[cfg(test)]
mod tests {
    use super::with_letters;

    #[test]
    fn the_short_form_gets_letters() {
        let text = "a::f(Tensor! x, Tensor(a!) y, Tensor!? z=None, str s=\"!\") -> ()";
        let schema = torchop_schema::parse(text).unwrap();
        let lettered = "a::f(Tensor(b!) x, Tensor(a!) y, Tensor(c!)? z=None, str s=\"!\") -> ()";
        assert_eq!(with_letters(text, &schema), lettered);
        assert_eq!(with_letters(lettered, &schema), lettered);
    }
}
