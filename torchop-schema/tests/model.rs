//! What `parse` says of a schema, and what it and its neighbours print.

use torchop_schema::{DefaultValue, Type, parse, parse_as_torch, parse_name};

#[test]
fn every_part_of_a_schema() {
    let text = "my_ops::f.out(Tensor(a!) self, int[2]? size=None, *, str mode='x', Tensor(b!)[] out) -> Tensor(a!) y";
    let schema = parse(text).unwrap();
    assert_eq!(schema.name.namespace.as_deref(), Some("my_ops"));
    assert_eq!((schema.name.name.as_str(), schema.name.overload.as_str()), ("f", "out"));
    assert!(schema.is_mutable() && !schema.is_vararg && !schema.is_varret);

    let [this, size, mode, out] = &schema.arguments[..] else { panic!("{schema}") };
    assert_eq!((&this.ty, this.is_mutable(), this.is_out(), this.kwarg_only), (&Type::Tensor, true, false, false));
    assert_eq!(this.alias.as_ref().unwrap().before, ["a"]);
    assert_eq!((&text[this.span.clone()], &text[this.type_span.clone()]), ("Tensor(a!) self", "Tensor(a!)"));
    assert_eq!(size.ty, Type::Optional(Box::new(Type::List(Box::new(Type::Int), Some(2)))));
    assert_eq!((&size.default, size.ty.may_hold_tensor()), (&Some(DefaultValue::None), false));
    assert_eq!((mode.kwarg_only, &text[mode.default_span.clone().unwrap()]), (true, "'x'"));
    assert_eq!((out.is_out(), &text[out.name_span.clone()]), (true, "out"));
    assert_eq!(schema.argument("mode"), Some(mode));

    let [y] = &schema.returns[..] else { panic!("{schema}") };
    assert_eq!((y.name.as_deref(), y.is_mutable(), &text[y.span.clone()]), (Some("y"), true, "Tensor(a!) y"));
    assert_eq!(schema.to_string(), text.replace("'x'", "\"x\""));
}

/// Each right-hand side was printed by torch 2.15.
#[test]
fn prints_as_torch() {
    for (text, printed) in [
        ("f(int[2] a=[1,1], int[2] b=2, int[1] c=1)->()", "f(int[2] a=1, int[2] b=2, int[1] c=[1]) -> ()"),
        ("f(SymInt[2] a=1)->(int)", "f(SymInt[2] a=[1, 1]) -> int"),
        ("f(Dict(str, SymInt) a)->((int, str))", "f(Dict(str, int) a) -> ((int, str))"),
        ("f(Tensor! a)->...", "f(Tensor($0! -> ) a) -> ..."),
        ("f(Tensor(d)?[](e!) a)->(int x, ...)", "f(Tensor?(d)[](e!) a) -> (int x, ...)"),
        ("f(ScalarType? a=half, Device d='cuda:0')->()", "f(ScalarType? a=5, Device d=cuda:0) -> ()"),
        ("f(Tensor(b)[][] c)->()", "f(Tensor[]()[] c) -> ()"),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), printed);
    }
}

#[test]
fn torchs_own_schemas_may_do_more() {
    for text in ["f(foo a) -> ()", "f(float? a=1) -> ()", "f(int a, int a) -> ()"] {
        assert!(parse(text).is_err(), "{text}");
        assert_eq!(parse_as_torch(text).unwrap().to_string(), text);
    }
    assert!(parse("aten::keys(Dict(str, t) self) -> t[]").is_ok());
}

#[test]
fn names_alone() {
    assert_eq!(parse_name("my_ops::f.out").unwrap().to_string(), "my_ops::f.out");
    let error = parse_name("my_ops::f() -> ()").unwrap_err();
    assert_eq!(error.to_string(), "found a schema, expected an operator's name; write `my_ops::f`");
    assert!(parse_name("").is_err() && parse_name("a b").is_err());
}

#[test]
fn nesting_ends() {
    let lists = |n| format!("f(int{} a) -> ()", "[]".repeat(n));
    assert!(parse(&lists(60)).is_ok() && parse(&lists(100_000)).is_err());
    let tuples = |n| format!("f({}int{} a) -> ()", "(".repeat(n), ")".repeat(n));
    assert!(parse(&tuples(60)).is_ok() && parse(&tuples(100_000)).is_err());
    assert!(parse(&format!("f({}", "Optional[".repeat(100_000))).is_err());
}
