//! Writes out a block of methods. Nothing here can fail.

use super::method::{Kind, Method, Methods};
use super::role::MethodFake;
use super::state_expand;
use crate::defaults;
use crate::item::parameter::Parameter;
use crate::item::self_type::at;
use crate::names::name_number;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// One entry for the block, and beside it one function for each method.
pub(crate) fn methods(block: &Methods) -> TokenStream {
    let Methods { class, crate_path, conditions, methods } = block;
    let functions = methods.iter().map(|method| method_items(class, method));
    let state = state_expand::items(class, methods);
    let states = state_expand::entries(class, methods);
    let definitions = methods.iter().filter_map(method_definition);
    let fakes = methods.iter().filter_map(fake_definition);
    let (import, table_entry) = (crate_path.import(), crate_path.table_entry());
    // The one bound on the type, at the type: `… is not a torch class` appears once.
    let definition = quote_spanned!(class.span().resolved_at(Span::call_site())=> <#class as __torchop::Class>::DEF);
    quote! {
        #conditions
        #[doc(hidden)]
        const _: () = {
            #import
            #(#functions)*
            #state
            #table_entry
            static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Methods {
                class: #definition,
                methods: &[#(#definitions),*],
                fakes: &[#(#fakes),*],
                states: &[#(#states),*],
            };
        };
    }
}

/// The function that torch calls, and what the method tells its fake or checks against its method.
fn method_items(class: &Type, method: &Method) -> TokenStream {
    let beside = match &method.kind {
        Kind::Init => init_checks(class, method),
        Kind::Method(_) | Kind::Getter => {
            let (description, like) = (description(class, method), like_check(class, method));
            quote!(#description #like)
        }
        Kind::Setter(_) => setter_checks(method),
        Kind::Static => TokenStream::new(),
        Kind::Fake(of) => fake_checks(class, method, of),
        Kind::State(role) if role.reads_object() => TokenStream::new(),
        Kind::State(_) => constructed_check(class, method),
    };
    let types = (!matches!(method.kind, Kind::Fake(_))).then(|| {
        let (types, defaults) = (real_types(method), defaults::checks(&method.parameters));
        quote!(#types #defaults)
    });
    let (function, conditions) = (trampoline(class, method), &method.conditions);
    let function = method.is_called_by_torch().then_some(quote!(#conditions #function));
    // In a block of its own, so that one `#[cfg]` is enough.
    quote! {
        #function
        #conditions
        const _: () = { #beside #types };
    }
}

fn trampoline(class: &Type, method: &Method) -> TokenStream {
    let function = trampoline_name(method);
    let name = quote_user_function(class, method);
    let arguments: Vec<Ident> = (0..method.parameters.len()).map(|index| format_ident!("argument{index}")).collect();
    let types: Vec<&Type> = method.parameters.iter().map(|parameter| &parameter.ty).collect();
    let output = &method.output;
    let body = match method.kind {
        _ if method.makes_object() => {
            quote! {
                let (this, arguments) = __torchop::Quiet::<#class>::split(arguments)?;
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
                __torchop::Made::<#class, #output>::put(this, results, #name(#(#arguments),*))
            }
        }
        Kind::Static => {
            quote! {
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
                __torchop::Quiet::<#output>::give(results, #name(#(#arguments),*))
            }
        }
        Kind::Method(_) | Kind::Setter(_) if method.changes => {
            quote! {
                let (mut this, arguments) = __torchop::Quiet::<#class>::changing(arguments)?;
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
                __torchop::Quiet::<#output>::give(results, #name(&mut this, #(#arguments),*))
            }
        }
        Kind::Method(_) | Kind::Getter | Kind::Setter(_) => {
            quote! {
                let (this, #(#arguments,)*) = __torchop::Read::<(&#class, #(#types,)*)>::read(arguments)?;
                __torchop::Quiet::<#output>::give(results, #name(this, #(#arguments),*))
            }
        }
        Kind::Fake(_) if method.changes => {
            quote! {
                let (mut this, arguments) = __torchop::Quiet::<#class>::restored_to_change(arguments)?;
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
                let results = __torchop::Quiet::<#output>::give_before_state(results, #name(&mut this, #(#arguments),*))?;
                __torchop::Quiet::<#class>::give_state(results, &this)
            }
        }
        Kind::Fake(_) => {
            quote! {
                let (this, arguments) = __torchop::Quiet::<#class>::restored(arguments)?;
                let (#(#arguments,)*) = __torchop::Read::<(#(#types,)*)>::read(arguments)?;
                __torchop::Quiet::<#output>::give(results, #name(&this, #(#arguments),*))
            }
        }
        _ => {
            quote! {
                let (this, #(#arguments,)*) = __torchop::Read::<(&#class, #(#types,)*)>::read(arguments)?;
                __torchop::Quiet::<#output>::give(results, #name(this, #(#arguments),*))
            }
        }
    };
    quote! {
        fn #function(
            arguments: __torchop::Arguments<'_>,
            results: __torchop::Results<'_>,
        ) -> __torchop::Result<()> {
            #body
        }
    }
}

pub(super) fn trampoline_name(method: &Method) -> Ident {
    format_ident!("__torchop_call_{}", method.name.unraw(), span = Span::call_site())
}

pub(super) fn quote_user_function(class: &Type, method: &Method) -> TokenStream {
    let name = &method.name;
    quote_spanned!(method.name_span()=> <#class>::#name)
}

/// `impl Method`: what a fake of this method must take and return.
fn description(class: &Type, method: &Method) -> TokenStream {
    let name = method.name.unraw().to_string();
    let number = name_number(&name);
    let slots = (0u16..).zip(&method.parameters).map(|(index, parameter)| slot(&name, index, parameter));
    let (returns, changes) = (return_types(method), method.changes);
    quote! {
        impl __torchop::Method<#number> for #class {
            const SLOTS: &'static [__torchop::Slot] = &[#(#slots),*];
            const RETURNS: &'static [__torchop::SchemaType] = #returns;
            const CHANGES: bool = #changes;
        }
    }
}

/// A setter gives nothing back.
fn setter_checks(method: &Method) -> TokenStream {
    let returns = return_types(method);
    quote_spanned!(method.output_span=> const _: () = __torchop::setter_returns(#returns);)
}

/// Tensors have data here; those without are for fakes.
pub(super) fn real_types(method: &Method) -> TokenStream {
    let arguments = method.parameters.iter().map(|parameter| {
        let ty = parameter.schema_type();
        quote_spanned!(parameter.type_span()=> const _: () = __torchop::method_type(#ty);)
    });
    let returns = (!method.makes_object()).then(|| {
        let types = return_types(method);
        quote_spanned!(method.output_span=> const _: () = __torchop::method_types(#types);)
    });
    quote!(#(#arguments)* #returns)
}

fn slot(method: &str, index: u16, parameter: &Parameter) -> TokenStream {
    let ty = parameter.schema_type();
    let wants = format!("`{method}` has `{}` here", parameter.spelled());
    let fake_wants = format!("{wants}\na fake takes the same, with `&FakeTensor` for `&Tensor`");
    quote! {
        __torchop::Slot {
            kind: __torchop::SlotKind::Argument,
            index: #index,
            ty: #ty,
            wants: #wants,
            fake_wants: #fake_wants,
            unwritten: "",
        }
    }
}

fn return_types(method: &Method) -> TokenStream {
    let output = &method.output;
    quote_spanned!(method.output_span=> <#output as __torchop::Returned>::TYPES)
}

/// One constructor for each class, and what it returns.
fn init_checks(class: &Type, init: &Method) -> TokenStream {
    let returns = constructed_check(class, init);
    let only = quote_spanned!(init.name_span()=> impl __torchop::Init for #class {});
    quote!(#only #returns)
}

/// It returns the object.
fn constructed_check(class: &Type, method: &Method) -> TokenStream {
    let output = &method.output;
    let returns =
        quote_spanned!(method.output_span=> let _ = <#output as __torchop::Constructed<#class>>::constructed;);
    quote!(const _: () = { #returns };)
}

/// The method exists (rustc knows similar names) and is torch's, and the fake has its arguments and results.
fn fake_checks(class: &Type, fake: &Method, of: &Ident) -> TokenStream {
    let number = name_number(&of.unraw().to_string());
    let count = fake.parameters.len();
    let arguments = fake.parameters.iter().enumerate().map(|(position, parameter)| {
        let ty = parameter.schema_type();
        quote_spanned!(parameter.type_span()=> const _: () = __torchop::method_fake_argument(#ty, __TORCHOP_SLOTS, #position);)
    });
    let (place, output) = (fake.output_span, &fake.output);
    let returned = quote_spanned!(place=> <#output as __torchop::Returned>::TYPES);
    // In one constant: if the function does not exist, whether it is a method is not asked.
    let is_method = quote_spanned!(of.span().resolved_at(Span::call_site())=> __torchop::is_method(__TORCHOP_SLOTS));
    let class_there = at(class.to_token_stream(), fake.name_span());
    let state = quote_spanned!(fake.name_span()=> let _ = <#class_there as __torchop::State>::FIELDS;);
    let exists = quote_spanned!(of.span()=> let _ = <#class>::#of;);
    let changes = fake.changes.then(|| {
        quote_spanned!(fake.name_span()=>
            const _: () = __torchop::method_fake_changes(__TORCHOP_SLOTS, __torchop::MethodOf::<#class, #number>::CHANGES);
        )
    });
    let takes = quote_spanned!(fake.name_span()=> __torchop::method_fake_takes(__TORCHOP_SLOTS, #count));
    let returns = quote_spanned!(place=> __torchop::method_fake_returns(#returned, __TORCHOP_SLOTS, __TORCHOP_RETURNS));
    quote! {
        const __TORCHOP_SLOTS: ::core::option::Option<&[__torchop::Slot]> = __torchop::MethodOf::<#class, #number>::SLOTS;
        const __TORCHOP_RETURNS: &[__torchop::SchemaType] = __torchop::MethodOf::<#class, #number>::RETURNS;
        const _: () = { #exists #is_method };
        const _: () = { #state };
        const _: () = #takes;
        #changes
        #(#arguments)*
        const _: () = #returns;
    }
}

fn method_definition(method: &Method) -> Option<TokenStream> {
    let (kind, returns) = match &method.kind {
        Kind::Fake(_) | Kind::State(_) => return None,
        Kind::Init => (quote!(Init), quote!(&[])),
        Kind::Method(_) => (quote!(Method), return_types(method)),
        Kind::Getter => (quote!(Getter), return_types(method)),
        Kind::Setter(_) => (quote!(Setter), return_types(method)),
        Kind::Static => (quote!(Static), return_types(method)),
    };
    let Method { conditions, documentation, changes, .. } = method;
    let name = match &method.kind {
        Kind::Setter(property) => property.clone(),
        _ => method.name.unraw().to_string(),
    };
    let call = trampoline_name(method);
    let arguments = method.parameters.iter().map(argument_definition);
    let fake = method_fake(method);
    let location = location();
    Some(quote! {
        #conditions
        __torchop::MethodDef {
            name: #name,
            kind: __torchop::MethodKind::#kind,
            changes: #changes,
            arguments: &[#(#arguments),*],
            returns: #returns,
            call: #call,
            doc: #documentation,
            location: #location,
            fake: #fake,
        }
    })
}

fn method_fake(method: &Method) -> TokenStream {
    let Kind::Method(fake) = &method.kind else { return quote!(__torchop::MethodFake::Unsaid) };
    match fake {
        MethodFake::Unsaid => quote!(__torchop::MethodFake::Unsaid),
        MethodFake::Composite => quote!(__torchop::MethodFake::Composite),
        MethodFake::Like(argument) => {
            let index = (0u16..).zip(&method.parameters).find(|(_, parameter)| parameter.name == *argument);
            let index = index.map_or(0, |(index, _)| index);
            quote!(__torchop::MethodFake::Like(#index))
        }
    }
}

/// A fake that is not written needs what a written one needs: the state. `like` has a tensor on both sides.
fn like_check(class: &Type, method: &Method) -> Option<TokenStream> {
    let Kind::Method(fake) = &method.kind else { return None };
    let class_there = at(class.to_token_stream(), method.name_span());
    let state =
        quote_spanned!(method.name_span()=> const _: () = { let _ = <#class_there as __torchop::State>::FIELDS; };);
    match fake {
        MethodFake::Unsaid => None,
        MethodFake::Composite => Some(state),
        MethodFake::Like(argument) => {
            let parameter = method.parameters.iter().find(|parameter| parameter.name == *argument)?;
            let (ty, returns) = (parameter.schema_type(), return_types(method));
            let check = quote_spanned!(argument.span().resolved_at(Span::call_site())=> const _: () = __torchop::like(#ty, #returns););
            Some(quote!(#state #check))
        }
    }
}

fn argument_definition(parameter: &Parameter) -> TokenStream {
    let name = parameter.name.unraw().to_string();
    let ty = parameter.schema_type();
    let default = parameter.default_constant();
    quote!(__torchop::ArgumentDef { name: #name, ty: #ty, default: #default })
}

fn fake_definition(fake: &Method) -> Option<TokenStream> {
    let Kind::Fake(of) = &fake.kind else { return None };
    let (conditions, changes) = (&fake.conditions, fake.changes);
    let (method, call, location) = (of.unraw().to_string(), trampoline_name(fake), location());
    Some(
        quote!(#conditions __torchop::FakeDef { method: #method, changes: #changes, call: #call, location: #location }),
    )
}

pub(super) fn location() -> TokenStream {
    quote!(__torchop::Location { file: ::core::file!(), line: ::core::line!() })
}
