//! A definition in error: its function and its handle are there all the same, and fit everything.

use super::names::OpConstants;
use super::{checks, handle, hidden_block};
use crate::item::function::Function;
use crate::op::model::Callee;
use crate::op::slots::Slot;
use crate::schema::Schema;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

/// What is known of it.
pub(in crate::op) struct Broken<'a> {
    pub(in crate::op) handle: &'a Ident,
    pub(in crate::op) function: &'a Function,
    pub(in crate::op) callee: &'a Callee,
    /// If the mistake is elsewhere.
    pub(in crate::op) schema: Option<&'a Schema>,
    /// Whether the function is one that can be called through torch at all; else it is left as it is.
    pub(in crate::op) callable: bool,
}

impl Broken<'_> {
    pub(in crate::op) fn expand(&self) -> TokenStream {
        let Broken { handle, function, callee, .. } = self;
        let handle_type = handle::handle_type(handle, function, callee);
        let slots: Vec<Slot> = self.names().iter().map(|name| Slot::unknown(name)).collect();
        let constants = OpConstants {
            handle,
            slots: &slots,
            count: quote!(usize::MAX),
            takes: String::new(),
            returns: Vec::new(),
            return_text: String::new(),
            tensor_arguments: Vec::new(),
            gradients: quote!(usize::MAX),
            gives: String::new(),
        };
        let constants = constants.expand();
        let used = self.callable.then(|| checks::used(callee, function));
        let block = hidden_block(
            callee,
            &quote! {
                static __TORCHOP_DEF: __torchop::OpDef = __torchop::OpDef {
                    name: "",
                    overload: "",
                    schema: "",
                    arguments: &[],
                    tensor_arguments: &[],
                    written_arguments: &[],
                    returns: 0,
                    tags: &[],
                    location: __torchop::Location { file: "", line: 0 },
                    handle: __torchop::OpHandle::new(),
                };
                #constants
                #used
            },
        );
        let functions = if self.callable {
            let kernel = handle::kernel(handle, function, callee);
            let dispatching = handle::dispatching_function(handle, function, callee, "");
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
        let outputs: Vec<String> = match self.schema {
            Some(schema) => {
                names.extend(schema.arguments.iter().map(|argument| argument.rust_name.clone()));
                schema.outputs.iter().map(|output| output.rust_name.clone()).collect()
            }
            None => ["output", "output0", "output1", "output2", "output3"].map(str::to_owned).to_vec(),
        };
        names.extend(names.iter().map(|name| format!("needs_grad_{name}")).collect::<Vec<_>>());
        names.extend(outputs.iter().map(|name| format!("grad_{name}")).collect::<Vec<_>>());
        names.extend(outputs);
        names.sort();
        names.dedup();
        names
    }
}
