//! What the attributes generate, for reading: `snapshots/` has it beside what a user wrote. `TORCHOP_BLESS=1 cargo test -p
//! torchop-macros` writes it anew.

use proc_macro2::TokenStream;
use std::path::Path;

type Attribute = fn(TokenStream, TokenStream) -> TokenStream;

/// Each item with its attribute, in one file.
#[track_caller]
fn check(name: &str, items: &[(&str, Attribute, &str, &str)]) {
    let parse = |text: &str| text.parse::<TokenStream>().unwrap();
    let mut text = String::new();
    for (attribute, expand, options, item) in items {
        let expansion = syn::parse2(expand(parse(options), parse(item))).unwrap();
        let written: String =
            item.lines().map(|line| format!("//     {}\n", line.trim_start_matches("            "))).collect();
        let separator = if options.is_empty() { "" } else { "(…)" };
        let options = if options.is_empty() { String::new() } else { format!("// {options}\n") };
        text += &format!("// #[{attribute}{separator}]\n{options}{written}\n{}\n", prettyplease::unparse(&expansion));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots").join(name);
    if std::env::var_os("TORCHOP_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).enumerate().find(|(_, (got, expected))| got != expected);
    assert!(
        text == expected,
        "the expansion is not that of snapshots/{name}; if that is right: TORCHOP_BLESS=1 cargo test -p torchop-macros\n{differs:#?}"
    );
}

const OP: Attribute = crate::op::torch_op;
const CLASS: Attribute = crate::class::torch_class;

#[test]
fn an_operator() {
    let scale = "/// Scales.\nfn scale(x: &Tensor, alpha: f64) -> Result<Tensor> { todo!() }";
    let fake = "fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> { x.empty_like() }";
    let backward =
        "fn scale_backward(grad_output: &Tensor, alpha: f64) -> Result<Tensor> { scale(grad_output, alpha) }";
    check(
        "operator.rs",
        &[
            ("torch_op", OP, "schema = \"my_ops::scale(Tensor x, float alpha=1.) -> Tensor\", cpu", scale),
            ("torch_op", OP, "fake_of = scale", fake),
            ("torch_op", OP, "backward_of = scale", backward),
        ],
    );
}

#[test]
fn an_operator_without_a_schema() {
    let add = "pub fn add_(self_: &mut Tensor, #[torch(default = 1)] n: i64) { todo!() }";
    check("inferred.rs", &[("torch_op", OP, "name = \"my_ops::add_\", cpu, foreign", add)]);
}

#[test]
fn a_class() {
    let block = "impl Scale {\n    #[init]\n    fn new(factor: f64) -> Self { Scale { factor } }\n    \
                 fn forward(&self, x: &Tensor) -> Result<Tensor> { todo!() }\n    \
                 #[fake(forward)]\n    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> { x.empty_like() }\n}";
    check(
        "class.rs",
        &[
            ("torch_class", CLASS, "name = \"my_ops::Scale\", pickle, flatten", "struct Scale { factor: f64 }"),
            ("torch_class", CLASS, "", block),
        ],
    );
}
