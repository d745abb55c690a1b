//! Writes out the model. Nothing here can fail.

mod backward;
mod broken;
mod checks;
mod definition;
mod description;
mod handle;
mod kernels;
mod notes;
mod trampoline;
mod transform;

pub(super) use broken::Broken;

use super::model::{Callee, Op};
use crate::item::function::Function;
use proc_macro2::TokenStream;
use quote::quote;

pub(super) fn op(op: &Op, function: &Function) -> TokenStream {
    match op {
        Op::Definition(definition) => definition::expand(definition),
        Op::Kernels(kernels) => {
            let block = kernels::expand(kernels);
            quote!(#function #block)
        }
        Op::Transform(transform) => {
            let block = transform::expand(transform);
            quote!(#function #block)
        }
        Op::DefinedBackward(definition, backward) => {
            let (definition, backward) = (definition::expand(definition), backward::expand_op(definition, backward));
            quote!(#definition #backward)
        }
        Op::Backward(backward) => {
            let block = backward::expand(backward);
            quote!(#function #block)
        }
    }
}

/// All that is generated beside the user's item, out of its way: only `__torchop` is in scope in addition.
fn hidden_block(callee: &Callee, content: &TokenStream) -> TokenStream {
    let (conditions, import) = (&callee.conditions, callee.crate_path.import());
    quote! {
        #conditions
        #[doc(hidden)]
        const _: () = {
            #import
            #content
        };
    }
}
