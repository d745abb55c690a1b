//! Collects all mistakes of one item, so that they are reported at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::cell::{Cell, RefCell};
use std::fmt::Display;

/// The mistakes found so far. Dropping it without [`Errors::finish`] would lose them; debug builds say so.
#[must_use]
pub(crate) struct Errors {
    found: RefCell<Vec<syn::Error>>,
    finished: Cell<bool>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors { found: RefCell::default(), finished: Cell::new(false) }
    }

    /// Reports `message` under `tokens`. A second line of the message says what to write instead.
    pub(crate) fn at(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn at_span(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn push(&self, error: syn::Error) {
        self.found.borrow_mut().push(error);
    }

    pub(crate) fn count(&self) -> usize {
        self.found.borrow().len()
    }

    /// One `compile_error!` for each mistake; `None` if there was none.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        self.finished.set(true);
        let found = self.found.take();
        (!found.is_empty()).then(|| found.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.finished.get() || std::thread::panicking(), "collected errors were dropped");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_reported() {
        let errors = Errors::new();
        errors.at_span(Span::call_site(), "one");
        errors.at(quote::quote!(x), "two");
        let text = errors.finish().map(|tokens| tokens.to_string()).unwrap_or_default();
        assert!(text.contains("one") && text.contains("two"), "{text}");
    }

    #[test]
    fn none_is_none() {
        assert!(Errors::new().finish().is_none());
    }
}
