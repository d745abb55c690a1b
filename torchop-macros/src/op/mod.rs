//! `#[torch_op]`

mod arguments;
mod autocast;
mod check;
mod expand;
mod keys;
mod model;
mod options;
mod tags;

use crate::errors::Errors;
use crate::item::function::Function;
use crate::item::parameter_options;
use check::Checked;
pub(crate) use check::DYNAMIC_ELSEWHERE;
use model::Op;
use options::Options;
use proc_macro2::TokenStream;
use quote::quote;

/// Parse, model, check, expand.
pub(crate) fn torch_op(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let error = syn::Error::new_spanned(&item, "`#[torch_op]` belongs on a function").into_compile_error();
            return quote!(#item #error);
        }
    };
    let errors = Errors::new();
    let options = options::parse(options, &errors);
    let parameter_options = parameter_options::take(&mut function.signature, &errors);
    let checked = check::Checked::new(&function, &parameter_options, &errors);
    let model = check::model(&options, &checked, &errors);
    match (errors.finish(), model) {
        (None, Some(model)) => expand::op(&model, &function),
        (errors, model) => in_error(&options, &checked, model.as_ref(), &errors.unwrap_or_default()),
    }
}

/// The item with its handle, so that what refers to it has nothing to say.
fn in_error(options: &Options, checked: &Checked<'_>, model: Option<&Op>, errors: &TokenStream) -> TokenStream {
    let function = checked.function;
    let is_definition = options.role.as_ref().is_some_and(|role| role.kind.is_definition());
    let handle = check::handle(options, function);
    // In an impl block no type can stand beside it.
    let in_a_block = function.signature.receiver().is_some();
    if !is_definition || in_a_block || check::hides_a_type(&handle) {
        return quote!(#errors #function);
    }
    let definition = match model {
        Some(Op::Definition(definition) | Op::DefinedBackward(definition, _)) => Some(&**definition),
        _ => None,
    };
    let broken = expand::Broken {
        handle: &handle,
        function,
        callee: &checked.callee(options),
        definition,
        callable: checked.callable,
    };
    let handle = broken.expand();
    quote!(#errors #handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(options: &str, item: &str) -> String {
        let parse = |text: &str| text.parse::<TokenStream>().unwrap();
        torch_op(parse(options), parse(item)).to_string()
    }

    const SCALE: &str = "schema = \"my_ops::scale(Tensor x, float alpha) -> Tensor\", cpu";

    #[test]
    fn a_half_typed_body_keeps_item_and_handle() {
        let text = expanded(SCALE, "pub fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> { x. }");
        assert!(
            text.contains("enum scale") && text.contains("{ x . }") && !text.contains("compile_error ! {"),
            "{text}"
        );
    }

    #[test]
    fn a_schema_that_is_inferred_is_documented_where_it_is_plain() {
        let item =
            "fn f(self_: &mut Tensor, n: i64, #[torch(int, default = 3)] k: i64) -> Result<(Tensor, Vec<f64>)> {}";
        let text = expanded("name = \"my_ops::f.out\", cpu", item);
        assert!(text.contains("my_ops::f.out(Tensor(a!) self, SymInt n, int k=3) -> (Tensor, float[])"), "{text}");
        assert!(text.contains("AOTInductor packages compute no result of type `float[]`"), "{text}");
        let text = expanded("name = \"my_ops::f\", cpu", "fn f(x: Own) {}");
        assert!(text.contains("Schema: inferred from the signature"), "{text}");
    }

    #[test]
    fn a_mistake_keeps_item_and_handle() {
        for options in [
            "",
            "schema",
            "schema =",
            "schema = \"",
            "schema = \"nonsense\", cpu",
            "schema = \"my_ops::f(\", cpu, tags",
        ] {
            let Ok(options) = options.parse::<TokenStream>() else { continue };
            let item: TokenStream = "fn scale(x: &Tensor) -> Tensor { x. }".parse().unwrap();
            let text = torch_op(options, item).to_string();
            assert!(text.contains("compile_error") && text.contains("fn scale") && text.contains("{ x . }"), "{text}");
        }
    }

    #[test]
    fn nothing_panics() {
        let options = [
            "",
            "=",
            ",,,",
            "schema(",
            "cpu cpu",
            "kernel_of = = f",
            "schema = 1",
            "tags((((,))))",
            "gradients(_)",
            "crate = 'a",
            "r#type = x",
        ];
        let items = [
            "",
            "fn",
            "fn f",
            "fn f()",
            "fn f();",
            "fn f(_: ()) {}",
            "fn f(self) {}",
            "struct S;",
            "{}",
            "async unsafe extern fn f<T>(x: impl X, ...) where T: X {}",
            "#[a] #[b",
        ];
        for (options, item) in options.iter().flat_map(|options| items.iter().map(move |item| (options, item))) {
            if let (Ok(options), Ok(item)) = (options.parse::<TokenStream>(), item.parse::<TokenStream>()) {
                let _ = torch_op(options.clone(), item.clone());
                let _ = crate::class::torch_class(options, item);
            }
        }
    }

    #[test]
    fn a_gradient_gives_way_to_an_argument_of_its_name() {
        let options = "schema = \"my_ops::b(Tensor grad_output) -> Tensor\", cpu";
        let text = expanded(options, "fn b(grad_output: &Tensor) -> Result<Tensor> {}");
        assert!(text.contains("pub grad_of_output :") && text.matches("pub grad_output :").count() == 1, "{text}");
    }
}
