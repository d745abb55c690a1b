//! A definition in error: its function and its handle are there all the same, and fit everything.

use super::description::{Description, Policies};
use super::{checks, handle, hidden_block};
use crate::item::function::Function;
use crate::op::model::{Callee, Definition};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

/// What is known of it.
pub(in crate::op) struct Broken<'a> {
    pub(in crate::op) handle: &'a Ident,
    pub(in crate::op) function: &'a Function,
    pub(in crate::op) callee: &'a Callee,
    /// If the mistake is elsewhere.
    pub(in crate::op) definition: Option<&'a Definition>,
    /// Whether the function is one that can be called through torch at all; else it is left as it is.
    pub(in crate::op) callable: bool,
}

impl Broken<'_> {
    pub(in crate::op) fn expand(&self) -> TokenStream {
        let Broken { handle, function, callee, .. } = self;
        let handle_type = handle::handle_type(handle, function, callee);
        let description = Description::unknown(&self.names());
        let location = quote!(__torchop::Location { file: "", line: 0 });
        let definition = description.expand(handle, &Policies::default(), &location);
        let used = self.callable.then(|| checks::used(callee, function));
        let block = hidden_block(
            callee,
            &quote! {
                #definition
                #used
            },
        );
        let functions = if self.callable {
            let kernel = handle::kernel(handle, function, callee);
            let dispatching = handle::dispatching_function(handle, function, callee, None);
            quote!(#kernel #dispatching)
        } else {
            quote!(#[allow(dead_code)] #function)
        };
        quote!(#handle_type #functions #block)
    }

    /// Every name that a kernel, fake or backward may use.
    fn names(&self) -> Vec<String> {
        let parameters = self.callee.parameters.iter().map(|parameter| parameter.name.unraw().to_string());
        let mut names: Vec<String> = parameters.collect();
        if let Some(definition) = self.definition {
            names.extend(Description::new(definition).slots.into_iter().map(|slot| slot.name));
            names.sort();
            names.dedup();
            return names;
        }
        let outputs = ["output", "output0", "output1", "output2", "output3"].map(str::to_owned);
        names.extend(names.iter().map(|name| format!("needs_grad_{name}")).collect::<Vec<_>>());
        names.extend(outputs.iter().map(|name| format!("grad_{name}")).collect::<Vec<_>>());
        names.extend(outputs);
        names.sort();
        names.dedup();
        names
    }
}
