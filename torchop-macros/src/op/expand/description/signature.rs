//! A definition without a schema: its function's types say what the schema would. A macro cannot know what a type is, so
//! everything here is a constant that rustc computes.

use super::slot::{Slot, Texts, add_free, gradient_name, needs_grad};
use super::{Description, with_list};
use crate::defaults;
use crate::item::parameter::{Parameter, spelled};
use crate::op::model::{Callee, Definition, Signature};
use crate::text::counted;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

pub(super) fn describe(definition: &Definition, signature: &Signature) -> Description {
    let Definition { callee, handle, .. } = definition;
    let Callee { parameters, output, .. } = callee;
    let operator = handle.unraw().to_string();
    let count = parameters.len();
    let return_text = format!("`{operator}` returns `{}`; return the same", spelled(output));
    Description {
        items: items(callee, signature),
        checks: checks(callee, signature),
        text: signature.guessed.clone(),
        name: signature.name.clone(),
        overload: signature.overload.clone(),
        schema: quote!(__torchop::SchemaDef::Inferred { arguments: __TORCHOP_ARGUMENTS, returns: __TORCHOP_RETURNS }),
        arguments: signature.arguments.clone(),
        tensor_arguments: quote!(__TORCHOP_TENSORS),
        without_tensors: Some(quote!(__torchop::without_tensors(__TORCHOP_TYPES))),
        written_arguments: quote!(__TORCHOP_WRITTEN),
        writes: quote!(!__TORCHOP_WRITTEN.is_empty()),
        slots: slots(parameters, &operator, signature),
        count: quote!(#count),
        takes: takes(&operator, parameters),
        result_count: quote!(__TORCHOP_RETURNS.len() as u16),
        returns: quote!(__TORCHOP_RETURNS),
        fake_return_text: format!("{return_text}, with `FakeTensor` for `Tensor` and `SymInt` for `i64`"),
        return_text,
        gradients: quote!(__TORCHOP_TENSORS.len()),
        gives: format!(
            "the backward of `{operator}` returns one gradient for each argument that holds tensors, in the order of the arguments"
        ),
    }
}

/// The types of the arguments and results, and what follows from them.
fn items(callee: &Callee, signature: &Signature) -> TokenStream {
    let Callee { parameters, output, .. } = callee;
    let types = parameters.iter().map(|parameter| {
        let ty = parameter.schema_type();
        if parameter.options.int.is_some() {
            ty
        } else {
            quote_spanned!(parameter.type_span()=> __torchop::SchemaType::with_sizes(&#ty))
        }
    });
    let defaults = parameters.iter().map(Parameter::default_constant);
    let (names, indices) = (&signature.arguments, 0..parameters.len());
    quote! {
        const __TORCHOP_TYPES: &[__torchop::SchemaType] = &[#(#types),*];
        const __TORCHOP_ARGUMENTS: &[__torchop::ArgumentDef] = &[
            #(__torchop::ArgumentDef { name: #names, ty: __TORCHOP_TYPES[#indices], default: #defaults }),*
        ];
        const __TORCHOP_RESULTS: &[__torchop::SchemaType] = match __torchop::Quiet::<#output>::TYPES {
            ::core::option::Option::Some(types) => types,
            ::core::option::Option::None => &[],
        };
        const __TORCHOP_RETURNS: &[__torchop::SchemaType] =
            &__torchop::with_sizes::<{ __TORCHOP_RESULTS.len() }>(__TORCHOP_RESULTS);
        const __TORCHOP_TENSORS: &[u16] = &__torchop::positions::<
            { __torchop::count(__TORCHOP_TYPES, __torchop::Which::Tensors) },
        >(__TORCHOP_TYPES, __torchop::Which::Tensors);
        const __TORCHOP_WRITTEN: &[u16] = &__torchop::positions::<
            { __torchop::count(__TORCHOP_TYPES, __torchop::Which::Written) },
        >(__TORCHOP_TYPES, __torchop::Which::Written);
    }
}

fn checks(callee: &Callee, signature: &Signature) -> TokenStream {
    let Callee { parameters, output, output_span, .. } = callee;
    let arguments = parameters.iter().map(|parameter| {
        let ty = parameter.schema_type();
        quote_spanned!(parameter.type_span()=> const _: () = __torchop::inferred_argument(#ty);)
    });
    let ints = parameters.iter().filter_map(|parameter| {
        let (int, ty) = (parameter.options.int.as_ref()?, parameter.schema_type());
        let place = int.span().resolved_at(Span::call_site());
        Some(quote_spanned!(place=> const _: () = __torchop::int_or_size(#ty);))
    });
    let defaults = defaults::checks(parameters);
    let count = signature.results;
    quote_spanned! {*output_span=>
        #(#arguments)*
        #(#ints)*
        #defaults
        const _: () = __torchop::inferred_results(__torchop::Quiet::<#output>::TYPES, #count, !__TORCHOP_WRITTEN.is_empty());
    }
}

fn slots(parameters: &[Parameter], operator: &str, signature: &Signature) -> Vec<Slot> {
    let name = |parameter: &Parameter| parameter.name.unraw().to_string();
    let mut slots: Vec<Slot> = (0..)
        .zip(parameters)
        .map(|(index, parameter)| {
            let position = usize::from(index);
            let texts = argument_texts(parameter, operator);
            Slot::new(&name(parameter), "Argument", index, &quote!(__TORCHOP_TYPES[#position]), &texts)
        })
        .collect();
    let is_argument = |name: &str| parameters.iter().any(|parameter| parameter.name.unraw() == *name);
    for index in 0..u16::try_from(signature.results).unwrap_or(u16::MAX) {
        let name = if signature.results == 1 { "output".to_owned() } else { format!("output{index}") };
        let (position, texts) = (
            usize::from(index),
            Texts {
                wants: format!("`{name}` is a result of `{operator}`; take it as an argument of that type is taken"),
                ..Texts::default()
            },
        );
        let ty = quote!(__torchop::result_type(__TORCHOP_RETURNS, #position));
        let result = Slot::new(&name, "Output", index, &ty, &texts);
        add_free(&mut slots, [result, Slot::gradient(index, &gradient_name(&name, is_argument))]);
    }
    for (index, parameter) in (0u16..).zip(parameters) {
        let argument = name(parameter);
        let (name, wants) = needs_grad(&argument);
        let refusal = format!("`{argument}` holds no tensors, so it needs no gradient; take `{name}` away");
        let position = usize::from(index);
        let constant = quote!(__torchop::needs_grad(__TORCHOP_TYPES[#position], #index, #wants, #refusal));
        add_free(&mut slots, [Slot { name, constant }]);
    }
    slots
}

fn argument_texts(parameter: &Parameter, operator: &str) -> Texts {
    let has = format!("`{operator}` has `{}` here", parameter.spelled());
    Texts {
        fake_wants: match &parameter.options.int {
            Some(_) => format!("{has}, which `#[torch(int)]` says is no size; a fake has the same"),
            None => format!("{has}; a fake has the same, with `&FakeTensor` for a tensor and `SymInt` for a size"),
        },
        unwritten: format!("{has}, which is not written to; write the same, or `&mut Tensor` in both"),
        wants: format!("{has}; write the same"),
    }
}

/// `` `f` takes 2 arguments: x: &Tensor, alpha: f64 ``
fn takes(operator: &str, parameters: &[Parameter]) -> String {
    let arguments: Vec<String> = parameters.iter().map(Parameter::spelled).collect();
    with_list(format!("`{operator}` takes {}", counted(arguments.len(), "argument")), &arguments)
}
