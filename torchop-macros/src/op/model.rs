//! What `#[torch_op]` was understood as. Everything in it is checked; expansion only writes it out.

use super::autocast::Rule;
use super::keys::Key;
use crate::crate_path::CratePath;
use crate::item::function::Function;
use crate::item::parameter::Parameter;
use crate::schema::Schema;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Path;
use syn::spanned::Spanned;

/// One use of the attribute.
pub(crate) enum Op {
    Definition(Box<Definition>),
    Kernels(Kernels),
    Backward(Backward),
    DefinedBackward(Box<Definition>, Backward),
    Transform(Transform),
}

/// `schema = …` or `name = …`
pub(crate) struct Definition {
    pub(crate) declared: Declared,
    /// Whether another library defines the operator.
    pub(crate) foreign: bool,
    /// Whether each call counts, beside its results.
    pub(crate) effectful: bool,
    pub(crate) keys: Vec<Key>,
    /// The argument that the result is like.
    pub(crate) like: Option<Like>,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) nondifferentiable: Nondifferentiable,
    pub(crate) autocast: Vec<Rule>,
    /// `sharding = pointwise`
    pub(crate) is_pointwise: bool,
    /// The type beside the function.
    pub(crate) handle: Ident,
    pub(crate) function: Function,
    pub(crate) callee: Callee,
}

/// `fake = like(x)`
pub(crate) struct Like {
    pub(crate) index: usize,
    pub(crate) argument: Ident,
}

/// The results without a gradient.
pub(crate) enum Nondifferentiable {
    All,
    Some(Vec<Ident>),
}

/// `jvp_of = …` or `batch_of = …`
pub(crate) struct Transform {
    pub(crate) kind: TransformKind,
    pub(crate) of: Path,
    pub(crate) callee: Callee,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransformKind {
    Jvp,
    Batch,
}

/// Where the types of arguments and results come from.
pub(crate) enum Declared {
    Schema(Schema),
    Signature(Signature),
}

/// A name, and what the function's signature says by its form alone.
pub(crate) struct Signature {
    /// `ns::name`
    pub(crate) name: String,
    pub(crate) overload: String,
    /// The names of the arguments in the schema: `self` for `self_`.
    pub(crate) arguments: Vec<String>,
    /// Number of results, as written.
    pub(crate) results: usize,
    /// The schema, if all types are spelled plainly.
    pub(crate) guessed: Option<String>,
}

/// `kernel_of = …`, and `fake_of = …` with the key of fakes.
pub(crate) struct Kernels {
    pub(crate) of: Path,
    pub(crate) keys: Vec<Key>,
    pub(crate) is_fake: bool,
    pub(crate) callee: Callee,
    /// The last parameters, for which torch gives sizes that depend on data (fakes only).
    pub(crate) dynamic: Vec<Parameter>,
}

impl Kernels {
    /// The function with the operator's arguments alone.
    pub(crate) fn without_dynamic(&self) -> Callee {
        let mut callee = self.callee.clone();
        callee.parameters.truncate(callee.parameters.len() - self.dynamic.len());
        callee
    }
}

/// `backward_of = …`
#[derive(Clone)]
pub(crate) struct Backward {
    pub(crate) of: Path,
    /// The arguments that it gives gradients for, if not for all.
    pub(crate) gradients: Option<Vec<Ident>>,
    pub(crate) callee: Callee,
}

/// The user's function as the generated code calls it.
#[derive(Clone)]
pub(crate) struct Callee {
    pub(crate) crate_path: CratePath,
    /// `#[cfg]` of the function.
    pub(crate) conditions: TokenStream,
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: TokenStream,
    /// The place of the return type, or of the name where none is written.
    pub(crate) output_span: Span,
}

impl Callee {
    pub(crate) fn new(function: &Function, parameters: Vec<Parameter>, crate_path: CratePath) -> Self {
        let name = function.signature.ident.clone();
        let output_place = match &function.signature.output {
            syn::ReturnType::Default => name.span(),
            syn::ReturnType::Type(_, ty) => ty.span(),
        };
        Callee {
            crate_path,
            conditions: crate::item::attributes::conditions(&function.attributes),
            parameters,
            output: function.output().into_token_stream(),
            output_span: output_place.resolved_at(Span::call_site()),
            name,
        }
    }

    /// The place of the function's name, for generated code.
    pub(crate) fn name_span(&self) -> Span {
        self.name.span().resolved_at(Span::call_site())
    }
}
