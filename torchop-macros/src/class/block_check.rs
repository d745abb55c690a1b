//! From an impl block to the model; every refusal in a block that is not one of types.

use super::dunder;
use super::method::{Kind, Method, Methods};
use super::role::{self, MethodFake, Role, StateRole};
use crate::attribute_list;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use crate::item::attributes::{conditions, documentation};
use crate::item::block::Block;
use crate::item::function::Function;
use crate::item::parameter::{self, Parameter};
use crate::item::parameter_options::{self, ParameterOptions};
use crate::item::self_type::replace_self;
use crate::item::signature;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Path, Receiver, ReceiverKind, ReturnType, Signature};

/// The model; `None` if the block is none of a class. Marks are taken off the functions in any case.
pub(crate) fn methods(options: TokenStream, block: &mut Block, errors: &Errors) -> Option<Methods> {
    let crate_path = check_options(options, errors);
    let class = block.ty.clone();
    let is_plain = check_block(block, errors);
    let block_conditions = conditions(&block.attributes);
    let mut methods: Vec<Method> = Vec::new();
    for function in block.functions_mut() {
        let role = role::take(function, errors);
        let options = parameter_options::take(&mut function.signature, errors);
        if !is_plain {
            continue;
        }
        let Some(method) = method(&role, function, &options, &class.to_token_stream(), errors) else { continue };
        if matches!(method.kind, Kind::Init) && methods.iter().any(|other| matches!(other.kind, Kind::Init)) {
            errors.at(&method.name, "a class has one `#[init]`");
        }
        methods.push(method);
    }
    check_pairs(&methods, errors);
    is_plain.then_some(Methods { class, crate_path, conditions: block_conditions, methods })
}

/// `crate = path` is all that a block takes.
fn check_options(options: TokenStream, errors: &Errors) -> CratePath {
    let mut path = None;
    for option in attribute_list::entries(options, errors) {
        match option.text().as_str() {
            "crate" => path = option.value::<Path>("crate = path", errors),
            name @ ("name" | "pickle" | "flatten" | "to" | "version") => {
                errors.at(&option.name, format!("`{name}` belongs on the struct\nwrite plain `#[torch_class]` here"));
            }
            other => errors.at(
                &option.name,
                format!("unknown option `{other}`; on an impl block `#[torch_class]` takes only `crate = path`"),
            ),
        }
    }
    CratePath::new(path.as_ref())
}

fn check_block(block: &Block, errors: &Errors) -> bool {
    if let Some(of_trait) = &block.of_trait {
        errors.at(
            of_trait,
            "`#[torch_class]` belongs on a plain impl block\ncall the trait's functions from methods of such a block",
        );
        return false;
    }
    if !block.generics.params.is_empty() {
        errors.at(
            &block.generics.params,
            "a torch class cannot be generic\nwrite a struct for each type, around a generic one",
        );
        return false;
    }
    true
}

/// How many arguments the runtime reads at once, less the object.
const MOST_ARGUMENTS: usize = 23;

fn method(
    role: &Role,
    function: &Function,
    options: &[ParameterOptions],
    class: &TokenStream,
    errors: &Errors,
) -> Option<Method> {
    let kind = match role {
        Role::Skip => return None,
        Role::Init => Kind::Init,
        Role::Method(fake) => Kind::Method(fake.clone()),
        Role::Getter => Kind::Getter,
        Role::Setter(property) => Kind::Setter(setter_property(property.as_ref(), function, errors)?),
        Role::Static => Kind::Static,
        Role::Fake(method) => Kind::Fake(method.clone()),
        Role::State(role) => Kind::State(*role),
    };
    let signature = &function.signature;
    check_receiver(&kind, function, errors);
    signature::check(signature, "a method of a torch class", MOST_ARGUMENTS, errors);
    let parameters = parameter::parameters(signature, options, errors);
    check_parameter_options(&kind, &parameters, errors);
    check_like(&kind, signature, &parameters, errors);
    if matches!(kind, Kind::Getter) && !parameters.is_empty() {
        errors.at(&parameters[0].written, "a getter takes nothing but `&self`");
    }
    if matches!(kind, Kind::Setter(_)) && parameters.len() != 1 {
        errors.at(&signature.ident, "a setter takes the property's new value: `&mut self` and one argument");
    }
    if matches!(kind, Kind::Method(_)) {
        dunder::check(signature, errors);
    }
    let output_place = match &signature.output {
        ReturnType::Default => signature.ident.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    Some(Method {
        kind,
        name: signature.ident.clone(),
        changes: signature.receiver().is_some_and(is_exclusive),
        parameters: parameters.into_iter().map(|parameter| without_self(parameter, class)).collect(),
        output: replace_self(function.output(), class),
        output_span: output_place.resolved_at(Span::call_site()),
        conditions: conditions(&function.attributes),
        documentation: documentation(&function.attributes),
    })
}

/// ```text
/// #[fake(forward)] fn f(&self, #[torch(default = 1)] n: i64)    the method has it
/// fn forward(&self, #[torch(int)] n: i64)                       it is one
/// ```
fn check_parameter_options(kind: &Kind, parameters: &[Parameter], errors: &Errors) {
    for Parameter { options, .. } in parameters {
        if let (Kind::Fake(_), Some((name, _))) = (kind, &options.default) {
            errors.at(name, "the method says the defaults\ntake it away here");
        }
        if let (Kind::State(_), Some((name, _))) = (kind, &options.default) {
            errors.at(name, "the entries of a state are always there\ntake it away here");
        }
        if let Some(dynamic) = &options.dynamic {
            errors.at(dynamic, crate::op::DYNAMIC_ELSEWHERE);
        }
        if let Some(int) = &options.int {
            errors.at(int, "an `i64` of a method is `int` in any case\ntake it away here");
        }
    }
}

/// ```text
/// #[method(fake = like(x))] fn forward(&self, x: &Tensor) -> Tensor     names an argument, and the object stays as it is
/// ```
fn check_like(kind: &Kind, signature: &Signature, parameters: &[Parameter], errors: &Errors) {
    let Kind::Method(MethodFake::Like(argument)) = kind else { return };
    if !parameters.iter().any(|parameter| parameter.name == *argument) {
        errors.at(argument, format!("the method has no argument `{argument}`"));
    }
    if let Some(receiver) = signature.receiver().filter(|receiver| is_exclusive(receiver)) {
        let name = &signature.ident;
        errors.at(
            receiver,
            format!(
                "`fake = like({argument})` says nothing of what the method changes, so the traced object would stay as it is\n\
                 write `#[fake({name})] fn {name}_fake(&mut self, …)`, which changes it, or `#[method(composite)]`"
            ),
        );
    }
}

/// ```text
/// #[getstate] fn state(&self) -> (Tensor, i64)
/// #[setstate] fn from_state(weight: &Tensor, count: i64) -> Self      in the same block, once
/// ```
fn check_pairs(methods: &[Method], errors: &Errors) {
    use StateRole::{Flatten, GetState, SetState, Unflatten};
    for (first, second) in [(GetState, SetState), (Flatten, Unflatten)] {
        for (role, other) in [(first, second), (second, first)] {
            let mut with_role =
                methods.iter().filter(|method| matches!(method.kind, Kind::State(found) if found == role));
            let Some(method) = with_role.next() else { continue };
            if let Some(again) = with_role.next() {
                errors.at(&again.name, format!("a class has one `{}`", role.mark()));
            }
            if !methods.iter().any(|method| matches!(method.kind, Kind::State(found) if found == other)) {
                errors.at(
                    &method.name,
                    format!("`{}` needs `{}`\nwrite it in the same block", role.mark(), other.mark()),
                );
            }
        }
    }
    for method in methods {
        if let (Kind::State(role), Some(parameter)) = (&method.kind, method.parameters.first())
            && role.reads_object()
        {
            errors.at(&parameter.written, format!("`{}` takes nothing but `&self`", role.mark()));
        }
    }
}

fn without_self(parameter: Parameter, class: &TokenStream) -> Parameter {
    let replaced = syn::parse2(replace_self(parameter.ty.to_token_stream(), class));
    Parameter { ty: replaced.unwrap_or(parameter.ty), ..parameter }
}

/// ```text
/// #[init] fn new(n: i64) -> Self          no receiver
/// #[fake(forward)] fn f(&self)            &self
/// fn forward(&self)                       &self
/// fn helper(n: i64)                       needs a mark
/// ```
fn check_receiver(kind: &Kind, function: &Function, errors: &Errors) {
    let name = &function.signature.ident;
    match (kind, function.signature.receiver()) {
        (Kind::Init, Some(receiver)) => {
            errors.at(receiver, "`#[init]` makes the object and takes no `self`\nreturn `Self` or `Result<Self>`");
        }
        (Kind::Static, Some(receiver)) => {
            errors.at(
                receiver,
                "a static method is called on the class and takes no `self`\ntake the mark or `self` away",
            );
        }
        (Kind::Init | Kind::Static, None) => {}
        (Kind::Method(_), None) => {
            errors.at(name, format!("`{name}` has no `self`\nmark it `#[init]`, `#[static_method]` or `#[skip]`"));
        }
        (Kind::Setter(_), None) => {
            errors.at(name, format!("the setter `{name}` has no `self`\nwrite `&mut self` before its argument"));
        }
        (Kind::State(role), Some(receiver)) if !role.reads_object() => {
            errors.at(
                receiver,
                format!("`{}` makes an object and takes no `self`\nreturn `Self` or `Result<Self>`", role.mark()),
            );
        }
        (Kind::State(role), None) if !role.reads_object() => {}
        (Kind::State(role), None) => {
            errors.at(name, format!("`{}` reads an object\nwrite `{name}(&self)`", role.mark()));
        }
        (Kind::Getter, None) => errors.at(name, format!("the getter `{name}` has no `self`\nwrite `{name}(&self)`")),
        (Kind::Fake(_), None) => {
            errors.at(name, format!("the fake `{name}` has no `self`\nwrite `&self` before its arguments"))
        }
        (Kind::Getter, Some(receiver)) if is_exclusive(receiver) => {
            errors.at(receiver, "reading a property does not change the object\nwrite `&self`, or make it a method");
        }
        (_, Some(receiver)) => {
            if !matches!(receiver.kind, ReceiverKind::Reference(..)) {
                errors.at(receiver, "a method borrows the object, which torch owns\nwrite `&self` or `&mut self`");
            }
        }
    }
}

fn is_exclusive(receiver: &Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
}

/// `set_rate` writes `rate`, unless the mark says another name.
fn setter_property(named: Option<&Ident>, function: &Function, errors: &Errors) -> Option<String> {
    let name = &function.signature.ident;
    if let Some(property) = named {
        return Some(property.unraw().to_string());
    }
    let own = name.unraw().to_string();
    let property = own.strip_prefix("set_").filter(|rest| !rest.is_empty()).map(str::to_owned);
    if property.is_none() {
        errors.at(
            name,
            format!("which property does `{name}` write?\nname it `set_property`, or write `#[setter(property)]`"),
        );
    }
    property
}
