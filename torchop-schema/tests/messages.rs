//! What a mistake says, and where: the text under the carets, the message, the help.

use torchop_schema::parse;

#[track_caller]
#[allow(clippy::unwrap_used, reason = "a helper of tests")]
fn check(text: &str, under: &str, message: &str, help: &str) {
    let error = parse(text).unwrap_err();
    let found = (&text[error.span.clone()], error.message.as_str(), error.help.as_deref().unwrap_or_default());
    assert_eq!(found, (under, message, help), "{}", error.render(text));
}

/// As `check`, for a type that torch does not have.
#[track_caller]
fn unknown(ty: &str, instead: &str) {
    let message = format!("unknown type `{ty}`");
    check(&format!("my_ops::f({ty} x) -> ()"), ty, &message, &format!("write {instead}"));
}

#[test]
fn types_of_other_languages() {
    unknown("int32", "`int`");
    unknown("Tenser", "`Tensor`");
    unknown("tensor", "`Tensor`");
    unknown("f64", "`float`");
    unknown("double", "`float`");
    unknown("String", "`str`");
    unknown("&str", "`str`");
    unknown("i64", "`int`, or `SymInt` for a size");
    unknown("Optional[Tensor]", "`Tensor?`");
    unknown("Option<&Tensor>", "`Tensor?`");
    unknown("&mut Tensor", "`Tensor(a!)`");
    unknown("List[int]", "`int[]`");
    unknown("&[i64]", "`int[]`");
    unknown("Dict[str, int]", "`Dict(str, int)`");
    unknown("Tuple[int, str]", "`(int, str)`");
    unknown("torch.Tensor", "`Tensor`");
    let help = "named tensors are gone from torch; write `str`";
    check("f(Dimname x) -> ()", "Dimname", "unknown type `Dimname`", help);
    unknown("my_ops.Conv", "`__torch__.torch.classes.my_ops.Conv` where a class is meant");
    check("my_ops::f(Tensor x) -> void", "void", "unknown type `void`", "write `()`");
}

#[test]
fn a_type_that_nothing_is_close_to() {
    let error = parse("my_ops::f(Foo x) -> ()").unwrap_err();
    assert!(error.help.is_some_and(|help| help.contains("`Tensor`, `int`")));
}

#[test]
fn name_before_type() {
    let message = "found `x:`, expected a type before the name";
    check("my_ops::f(x: Tensor) -> ()", "x: Tensor", message, "write `Tensor x`");
    check("my_ops::f(x: Option<f32>) -> ()", "x: Option<f32>", message, "write `float? x`");
}

#[test]
fn the_operators_name() {
    let help = "write the arguments and returns, as in `my_ops::f(Tensor x) -> Tensor`";
    check("my_ops::f", "", "found the end of the text, expected `(` after the operator's name", help);
    check("a::b::c()", ":", "found `:`, expected `(` after the operator's name", "write one `::` in the name");
    check("a:b()", "b", "found `b`, expected a second `:`", "write `::` after the namespace");
    let message = "torch does not take `default` as an overload's name";
    check("f.default() -> ()", "default", message, "choose another name, or leave it out");
}

#[test]
fn arguments_and_returns() {
    check("f(Tensor) -> ()", "Tensor", "argument `Tensor` has no name", "write `Tensor x`");
    check("f(int x,) -> ()", ",", "found `,` before `)`", "remove the `,`");
    check("f(int x, int x) -> ()", "x", "two arguments are named `x`", "rename one");
    let message = "found the end of the text, expected `->` after the arguments";
    check("f(int x)", "", message, "write `-> ()` where there are no returns");
    let message = "`in` is a word of Python's, expected the argument's name";
    check("f(int in) -> ()", "in", message, "choose another name, such as `in_`");
    let message = "argument `y` has no default, `x` before it has one";
    check("f(int x=1, int y) -> ()", "int y", message, "give `y` a default, or write `*` before it");
    let message = "found `(`, expected the argument's name";
    let help = "write the alias annotation before the `?`, as in `Tensor(a!)?`";
    check("f(Tensor?(a!) x) -> ()", "(", message, help);
    check("f(..., int x) -> ()", "int", "`...` is not the last argument", "move it to the end");
}

#[test]
fn defaults() {
    check("f(bool x=true) -> ()", "true", "`true` is no default for `bool`", "write `True`");
    check("f(bool x=1) -> ()", "1", "`1` is no default for `bool`", "write `True`");
    check("f(float? x=1) -> ()", "1", "`1` is no default for `float?`", "write `1.`");
    check("f(int x=None) -> ()", "None", "`None` is no default for `int`", "write `int?`");
    check("f(int x=1.5) -> ()", "1.5", "`1.5` is no default for `int`", "write a value of type `int`");
    check("f(str x=mean) -> ()", "mean", "`mean` is no default for `str`", "write `'mean'`");
    check("f(Device x=cpu) -> ()", "cpu", "found `cpu`, expected a device in quotes", "write `'cpu'`");
    check("f(Tensor x=3) -> ()", "3", "found `3`, expected `None`, the only default of `Tensor`", "");
    let message = "`torch.float32` is no default for `ScalarType`";
    check("f(ScalarType x=torch.float32) -> ()", "torch.float32", message, "write `float32`, without `torch.`");
    check("f(ScalarType x=flot32) -> ()", "flot32", "`flot32` is no default for `ScalarType`", "write `float32`");
    check("f(int x=0x10) -> ()", "0x10", "`0x10` is hexadecimal, which torch reads as 0", "write it in decimal");
    let message = "`1E5` has a capital `E`, at which torch stops: it reads `1`";
    check("f(int x=1E5) -> ()", "1E5", message, "write a small `e`");
    let message = "found `None`, expected a list in `[ ]`";
    check("f(int[] x=None) -> ()", "None", message, "write `int[]?` where `None` is meant");
}

#[test]
fn signs_that_mean_nothing() {
    let message = "found `;`, which has no meaning here";
    check("f() -> ();", ";", message, "separate by `,`, and end the schema without a sign");
    let message = "found `→`, which has no meaning here";
    check("f() → ()", "→", message, "names are of ASCII letters, digits and `_`");
    check("f(str x='a) -> ()", "'a) -> ()", "string without an end", "end it with `'`");
}

/// The texts under the carets, in order.
#[track_caller]
#[allow(clippy::unwrap_used, reason = "a helper of tests")]
fn all(text: &str, under: &[&str]) {
    let mistakes = torchop_schema::parse_all(text).unwrap_err();
    assert_eq!(mistakes.iter().map(|mistake| &text[mistake.span.clone()]).collect::<Vec<_>>(), under, "{mistakes:#?}");
    assert_eq!(mistakes.first(), parse(text).err().as_ref());
}

#[test]
fn every_argument_and_return_is_read_on_its_own() {
    all("f(Tensr x, int32 n, float a=1) -> (Tensor, void)", &["Tensr", "int32", "void"]);
    all("f(int a, int32[2] b=[1, 2], (int, strr) c, str d) -> Tenser", &["int32", "strr", "Tenser"]);
    all("f(Tensr(a!) x, *, Foo y) -> ()", &["Tensr", "Foo"]);
    all("f(int a=, int, float b) -> ()", &[",", "int"]);
    all("f(Tensor x Tensor y, Tensr z) -> ()", &["Tensor"]);
    all("f(int a='x', str b=None, *, int a) -> ()", &["a", "'x'", "None"]);
}

#[test]
fn behind_a_bracket_that_does_not_close_nothing_is_guessed() {
    all("f(Tensr x, Tensor(a! y, Foo z) -> ()", &["Tensr", "y"]);
    all("f(Tensr x, int[2 y, Foo z) -> ()", &["Tensr", "y"]);
    all("f(Tensr x -> Foo", &["Tensr"]);
}

#[test]
#[allow(clippy::unwrap_used)]
fn no_more_than_twenty() {
    let mistakes = |text: &str| torchop_schema::parse_all(text).unwrap_err().len();
    assert_eq!(mistakes(&format!("f({}int a) -> ()", "Tensr x, ".repeat(19))), 19);
    assert_eq!(mistakes(&format!("f({}int a) -> ()", "Tensr x, ".repeat(100))), 20);
    assert_eq!(mistakes(&format!("f({}int a) -> ()", "int a, ".repeat(100))), 20);
}

#[test]
fn two_results_of_one_name() {
    check("f(Tensor x) -> (Tensor a, Tensor a)", "Tensor a", "two results are named `a`", "rename one");
    assert!(parse("f(Tensor x) -> (Tensor x, Tensor a, Tensor)").is_ok());
}

#[test]
fn the_length_of_a_default() {
    for ty in ["int", "SymInt", "float", "bool"] {
        let value = if ty == "bool" { "True" } else { "1" };
        for count in [1, 3] {
            let list = format!("[{}]", vec![value; count].join(", "));
            let text = format!("f({ty}[2] a={list}) -> ()");
            let error = parse(&text).expect_err(&text);
            assert!(error.message.contains(&format!("the default has {count} element")), "{}", error.render(&text));
        }
        for list in ["[]".to_owned(), value.to_owned(), format!("[{value}, {value}]")] {
            let text = format!("f({ty}[2] a={list}) -> ()");
            assert!(parse(&text).is_ok(), "{text}");
        }
    }
    assert!(parse("f(int[1] dim=[-2, -1]) -> ()").is_ok());
}
