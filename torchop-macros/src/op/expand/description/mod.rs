//! What a definition says of its operator: to torch, and to the kernels, fakes and backward that name it.

mod schema;
mod signature;
mod slot;

use crate::names::canonical_identifier;
use crate::op::autocast::{self, Rule};
use crate::op::model::{Declared, Definition, Nondifferentiable};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use slot::Slot;
use syn::ext::IdentExt;

/// The pieces of `OpDef` and of the implementation of `Op`. Types are as in the runtime.
pub(in crate::op) struct Description {
    /// Constants that the rest names.
    items: TokenStream,
    /// Assertions about the function itself.
    pub(super) checks: TokenStream,
    /// The schema for documentation.
    pub(super) text: Option<String>,
    name: String,
    overload: String,
    /// A `SchemaDef`.
    schema: TokenStream,
    /// The names of the arguments in the schema.
    arguments: Vec<String>,
    tensor_arguments: TokenStream,
    /// Whether there are none, where that is not known to be wrong.
    without_tensors: Option<TokenStream>,
    written_arguments: TokenStream,
    writes: TokenStream,
    pub(in crate::op) slots: Vec<Slot>,
    count: TokenStream,
    takes: String,
    result_count: TokenStream,
    returns: TokenStream,
    return_text: String,
    fake_return_text: String,
    gradients: TokenStream,
    gives: String,
}

/// What stands on the definition beside the schema.
pub(in crate::op) struct Policies<'a> {
    pub(super) foreign: bool,
    pub(super) effectful: bool,
    pub(super) tags: &'a [&'static str],
    pub(super) nondifferentiable: &'a Nondifferentiable,
    pub(super) autocast: &'a [Rule],
    /// Elements of the results depend on one element of each tensor.
    pub(super) is_pointwise: bool,
}

impl Default for Policies<'_> {
    fn default() -> Self {
        const NONE: &Nondifferentiable = &Nondifferentiable::Some(Vec::new());
        Policies {
            foreign: false,
            effectful: false,
            tags: &[],
            nondifferentiable: NONE,
            autocast: &[],
            is_pointwise: false,
        }
    }
}

impl Policies<'_> {
    /// A `Constant`. The names are rustc's to find.
    fn constant_results(&self, handle: &Ident) -> TokenStream {
        match self.nondifferentiable {
            Nondifferentiable::All => quote!(__torchop::Constant::All),
            Nondifferentiable::Some(names) => {
                let indices = names.iter().map(|name| {
                    let field = canonical_identifier(name);
                    let span = name.span().resolved_at(Span::call_site());
                    quote_spanned!(span=> __torchop::constant_result(<#handle as __torchop::Op>::NAMES.#field))
                });
                quote!(__torchop::Constant::Some(&[#(#indices),*]))
            }
        }
    }
}

impl Description {
    pub(super) fn new(definition: &Definition) -> Self {
        match &definition.declared {
            Declared::Schema(declared) => schema::describe(definition, declared),
            Declared::Signature(declared) => signature::describe(definition, declared),
        }
    }

    /// Of a definition in error: whatever names it fits.
    pub(super) fn unknown(names: &[String]) -> Self {
        let nothing = quote!(&[]);
        Description {
            items: TokenStream::new(),
            checks: TokenStream::new(),
            text: None,
            name: String::new(),
            overload: String::new(),
            schema: quote!(__torchop::SchemaDef::Text("")),
            arguments: Vec::new(),
            tensor_arguments: nothing.clone(),
            without_tensors: None,
            written_arguments: nothing.clone(),
            writes: quote!(false),
            slots: names.iter().map(|name| Slot::unknown(name)).collect(),
            count: quote!(usize::MAX),
            takes: String::new(),
            result_count: quote!(0),
            returns: nothing,
            return_text: String::new(),
            fake_return_text: String::new(),
            gradients: quote!(usize::MAX),
            gives: String::new(),
        }
    }

    /// The definition, which has one address, its identity; and the implementation of `Op`, with a struct of one field per
    /// name, whose own name shows in rustc's messages.
    pub(super) fn expand(&self, handle: &Ident, policies: &Policies<'_>, location: &TokenStream) -> TokenStream {
        let (foreign, effectful, tags, is_pointwise) =
            (policies.foreign, policies.effectful, policies.tags, policies.is_pointwise);
        let (constant, autocast) = (policies.constant_results(handle), autocast::constant(policies.autocast));
        let Description {
            items,
            name,
            overload,
            schema,
            arguments,
            tensor_arguments,
            without_tensors,
            written_arguments,
            writes,
            slots,
            count,
            takes,
            result_count,
            returns,
            return_text,
            fake_return_text,
            gradients,
            gives,
            checks: _,
            text: _,
        } = self;
        // Another library may choose the kernels of its operators in a way of its own.
        let without_tensors = without_tensors.as_ref().filter(|_| !foreign);
        let without_tensors = without_tensors.map(|is| quote!(const WITHOUT_TENSORS: bool = #is;));
        let names = format_ident!("names_of_{}", handle.unraw(), span = Span::call_site());
        let fields: Vec<Ident> = slots.iter().map(Slot::field).collect();
        let values = slots.iter().map(|slot| &slot.constant);
        quote! {
            #items
            static __TORCHOP_DEF: __torchop::OpDef = __torchop::OpDef {
                name: #name,
                overload: #overload,
                foreign: #foreign,
                schema: #schema,
                arguments: &[#(#arguments),*],
                tensor_arguments: #tensor_arguments,
                written_arguments: #written_arguments,
                returns: #result_count,
                constant_results: #constant,
                autocast: #autocast,
                effectful: #effectful,
                is_pointwise: #is_pointwise,
                tags: &[#(#tags),*],
                location: #location,
                handle: __torchop::OpHandle::new(),
            };

            pub struct #names { #(pub #fields: __torchop::Slot),* }
            impl __torchop::Op for #handle {
                const DEF: &'static __torchop::OpDef = &__TORCHOP_DEF;
                type Names = #names;
                const NAMES: #names = #names { #(#fields: #values),* };
                const COUNT: usize = #count;
                const TAKES: &'static str = #takes;
                const RETURNS: &'static [__torchop::SchemaType] = #returns;
                const RETURN_TEXT: &'static str = #return_text;
                const FAKE_RETURN_TEXT: &'static str = #fake_return_text;
                const WRITES: bool = #writes;
                const TENSOR_ARGUMENTS: &'static [u16] = #tensor_arguments;
                const GRADIENTS: usize = #gradients;
                const GIVES: &'static str = #gives;
                #without_tensors
            }
        }
    }
}

/// `head: a, b`
fn with_list<S: AsRef<str>>(head: String, items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    if items.is_empty() { head } else { format!("{head}: {}", items.join(", ")) }
}
