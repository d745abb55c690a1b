//! `TORCHOP_PRINT_EXPANSION=1 cargo build` prints what the attributes generate.

use proc_macro2::TokenStream;

/// `expansion`, printed to stderr on the way if that was asked for.
pub(crate) fn pass_on(attribute: &str, expansion: TokenStream) -> TokenStream {
    if std::env::var_os("TORCHOP_PRINT_EXPANSION").is_some_and(|value| value != "0") {
        let text = match syn::parse2(expansion.clone()) {
            Ok(file) => prettyplease::unparse(&file),
            // Half-typed code does not parse; its tokens still say something.
            Err(_) => expansion.to_string(),
        };
        eprintln!("// #[{attribute}]\n{text}");
    }
    expansion
}
