//! From options and function to the model; every refusal of `#[torch_op]` that is not one of types.

use super::arguments;
use super::keys::{self, Key};
use super::model::{
    Backward, Callee, Declared, Definition, Kernels, Like, Nondifferentiable, Op, Signature, Transform, TransformKind,
};
use super::options::{Options, Role, RoleKind};
use super::tags;
use crate::errors::Errors;
use crate::item::attributes::is_torch_op;
use crate::item::function::Function;
use crate::item::parameter_options::ParameterOptions;
use crate::item::{parameter, signature};
use crate::names::{self, is_primitive_type};
use crate::schema;
use proc_macro2::Ident;
use syn::{LitStr, Path};

/// The function, with whether torch can call a function of this kind at all.
pub(crate) struct Checked<'a> {
    pub(crate) function: &'a Function,
    pub(crate) callable: bool,
    parameters: Vec<parameter::Parameter>,
}

impl<'a> Checked<'a> {
    pub(crate) fn new(function: &'a Function, options: &[ParameterOptions], errors: &Errors) -> Self {
        let before = errors.count();
        let signature = &function.signature;
        if let Some(receiver) = signature.receiver() {
            errors.at(
                receiver,
                "an operator is a free function\nmethods belong into an impl block with `#[torch_class]`",
            );
        }
        signature::check(signature, "an operator", MOST_ARGUMENTS, errors);
        let parameters = parameter::parameters(signature, options, errors);
        if !function.has_body() {
            errors.at(&function.body, "an operator needs a body");
        }
        Checked { function, callable: errors.count() == before, parameters }
    }

    pub(crate) fn callee(&self, options: &Options) -> Callee {
        Callee::new(self.function, self.parameters.clone(), options.crate_path.clone())
    }
}

/// How many arguments the runtime reads at once.
const MOST_ARGUMENTS: usize = 24;

/// The model; `None` if something that it needs is in error. Whatever is in error is reported.
pub(crate) fn model(options: &Options, checked: &Checked<'_>, errors: &Errors) -> Option<Op> {
    let role = options.role.as_ref()?;
    check_options_fit(role, options, errors);
    check_parameter_options(role, checked, errors);
    match &role.kind {
        RoleKind::Definition(schema) => {
            definition("schema", schema.as_ref(), options, checked, errors, with_schema).map(Op::Definition)
        }
        RoleKind::Inferred(name) => {
            definition("name", name.as_ref(), options, checked, errors, with_name).map(Op::Definition)
        }
        RoleKind::Kernel(of) => kernels(role, of.as_ref(), options, checked, errors).map(Op::Kernels),
        RoleKind::Fake(of) => fake(of.as_ref(), options, checked, errors).map(Op::Kernels),
        RoleKind::Backward(of) => backward(of.as_ref(), options, checked, errors).map(Op::Backward),
        RoleKind::BackwardOp(name, of) => {
            let definition = definition("name", name.as_ref(), options, checked, errors, with_name);
            let backward = backward(of.as_ref(), options, checked, errors);
            definition.zip(backward).map(|(definition, backward)| Op::DefinedBackward(definition, backward))
        }
        RoleKind::Jvp(of) => transform(TransformKind::Jvp, of.as_ref(), options, checked),
        RoleKind::Batch(of) => transform(TransformKind::Batch, of.as_ref(), options, checked),
    }
}

/// Options that belong to another role.
///
/// ```text
/// #[torch_op(fake_of = f, cpu)]            keys: `schema` and `kernel_of` only
/// #[torch_op(kernel_of = f, cpu, tags(…))] tags, handle: `schema` only
/// #[torch_op(schema = "…", gradients(x))]  gradients: `backward_of` only
/// ```
fn check_options_fit(role: &Role, options: &Options, errors: &Errors) {
    let is_definition = role.kind.is_definition();
    if !is_definition && !matches!(role.kind, RoleKind::Kernel(_)) {
        for key in &options.keys {
            errors.at_span(
                key.span,
                format!("`{}` takes no dispatch key: it serves all devices\ntake `{}` away", role.option, key.torch),
            );
        }
    }
    for (name, _) in options.tags.iter().filter(|_| !is_definition) {
        errors.at(name, "`tags` stands on the definition, beside `schema`");
    }
    for (name, _) in options.like.iter().filter(|_| !is_definition) {
        errors.at(name, "`fake` stands on the definition, beside `schema`");
    }
    for (name, _) in options.handle.iter().filter(|_| !is_definition) {
        errors.at(name, "`handle` stands on the definition, beside `schema`");
    }
    for (name, _) in options.nondifferentiable.iter().filter(|_| !is_definition) {
        errors.at(name, "`nondifferentiable` stands on the definition, beside `schema`");
    }
    for name in options.effectful.iter().filter(|_| !is_definition) {
        errors.at(name, "`effectful` stands on the definition, beside `schema`");
    }
    for (name, _) in options.autocast.iter().filter(|_| !is_definition) {
        errors.at(name, "`autocast` stands on the definition, beside `schema`");
    }
    for (name, _) in options.sharding.iter().filter(|_| !is_definition) {
        errors.at(name, "`sharding` stands on the definition, beside `schema`");
    }
    check_foreign(role, options, errors);
    let has_gradients = matches!(role.kind, RoleKind::Backward(_) | RoleKind::BackwardOp(..));
    if let (Some((name, _)), false) = (&options.gradients, has_gradients) {
        errors.at(name, "`gradients` stands on the backward, beside `backward_of`");
    }
}

/// An operator of another library has its policies there.
///
/// ```text
/// #[torch_op(kernel_of = f, cuda, foreign)]           the definition says it
/// #[torch_op(schema = "…", foreign, cpu, tags(core))]  the other library says these
/// ```
fn check_foreign(role: &Role, options: &Options, errors: &Errors) {
    let Some(foreign) = &options.foreign else { return };
    if !matches!(role.kind, RoleKind::Definition(_) | RoleKind::Inferred(_)) {
        errors.at(foreign, "`foreign` stands on the definition, beside `schema`");
        return;
    }
    let theirs = [
        options.tags.as_ref().map(|(name, _)| name),
        options.nondifferentiable.as_ref().map(|(name, _)| name),
        options.autocast.as_ref().map(|(name, _)| name),
        options.effectful.as_ref(),
        options.sharding.as_ref().map(|(name, _)| name),
    ];
    for name in theirs.into_iter().flatten() {
        errors.at(
            name,
            format!("`{name}` is for the library that defines the operator to say\ntake `{name}` away: a `foreign` operator gets kernels alone"),
        );
    }
}

/// What stands on parameters is for definitions without a schema.
///
/// ```text
/// #[torch_op(schema = "…", cpu)] fn f(#[torch(default = 1)] n: i64)
/// #[torch_op(kernel_of = f, cuda)] fn g(#[torch(default = 1)] n: i64)
/// ```
fn check_parameter_options(role: &Role, checked: &Checked<'_>, errors: &Errors) {
    for parameter in &checked.parameters {
        let name = &parameter.name;
        if let (Some(dynamic), false) = (&parameter.options.dynamic, matches!(role.kind, RoleKind::Fake(_))) {
            errors.at(dynamic, DYNAMIC_ELSEWHERE);
        }
        match role.kind {
            RoleKind::Inferred(_) | RoleKind::BackwardOp(..) => {}
            RoleKind::Definition(_) => {
                let default = parameter.options.default_value().map_or("…", |value| &value.text);
                parameter.options.refuse(
                    &format!("the schema says the defaults\nwrite it there: `{name}={default}`"),
                    &format!("the schema says the types\nwrite it there: `int {name}`"),
                    errors,
                );
            }
            _ => {
                let text = |what| format!("the definition says the {what}\ntake it away here");
                parameter.options.refuse(&text("defaults"), &text("types"), errors);
            }
        }
    }
}

/// ```text
/// #[torch_op(schema = "…", cpu)] #[torch_op(kernel_of = g, cuda)] fn f(…)
/// ```
fn check_single_role(function: &Function, errors: &Errors) {
    for second in function.attributes.iter().filter(|attribute| is_torch_op(attribute)) {
        errors.at(second, "a function that defines an operator has no other role\nwrite a function for each");
    }
}

/// `option` is `schema` or `name`, `declared` reads its text.
fn definition(
    option: &str,
    text: Option<&LitStr>,
    options: &Options,
    checked: &Checked<'_>,
    errors: &Errors,
    declared: fn(&LitStr, &Checked<'_>, bool, &Errors) -> Option<Declared>,
) -> Option<Box<Definition>> {
    let function = checked.function;
    check_single_role(function, errors);
    if options.handle.is_none() && hides_a_type(&function.signature.ident) {
        let name = &function.signature.ident;
        errors.at(
            name,
            format!(
                "the type beside an operator called `{name}` would hide the primitive type `{name}`\n\
                 rename the function (the schema's name is free), or give the type another name with `handle = Name`"
            ),
        );
    }
    let tags = tags::tags(options.tags.as_ref().map_or(&[], |(_, names)| names), errors);
    let text = text?;
    require_keys(option, text, options, errors);
    Some(Box::new(Definition {
        declared: declared(text, checked, options.foreign.is_some(), errors)?,
        foreign: options.foreign.is_some(),
        effectful: options.effectful.is_some(),
        keys: options.keys.clone(),
        like: like(options, checked, errors),
        tags,
        nondifferentiable: match &options.nondifferentiable {
            Some((_, None)) => Nondifferentiable::All,
            Some((_, Some(names))) => Nondifferentiable::Some(names.clone()),
            None => Nondifferentiable::Some(Vec::new()),
        },
        autocast: options.autocast.as_ref().map(|(_, rules)| rules.clone()).unwrap_or_default(),
        is_pointwise: is_pointwise(options, errors),
        handle: handle(options, function),
        function: function.clone(),
        callee: checked.callee(options),
    }))
}

/// ```text
/// #[torch_op(schema = "…", cpu, sharding = pointwise)]   the only way that there is
/// ```
fn is_pointwise(options: &Options, errors: &Errors) -> bool {
    let Some(way) = options.sharding.as_ref().and_then(|(_, way)| way.as_ref()) else { return false };
    if way != "pointwise" {
        errors.at(
            way,
            format!(
                "there is no sharding `{way}`\n\
                 write `sharding = pointwise` if each element of the results depends on one element of each tensor; for any other \
                 operator, use `torch.distributed.tensor.experimental.register_sharding` in Python"
            ),
        );
    }
    true
}

/// ```text
/// #[torch_op(schema = "…", cpu, fake = like(x))] fn f(x: &Tensor) -> Tensor     names an argument
/// ```
fn like(options: &Options, checked: &Checked<'_>, errors: &Errors) -> Option<Like> {
    let argument = options.like.as_ref()?.1.as_ref()?;
    let index = checked.parameters.iter().position(|parameter| parameter.name == *argument);
    if index.is_none() {
        errors.at(argument, format!("the function has no argument `{argument}`"));
    }
    Some(Like { index: index?, argument: argument.clone() })
}

fn with_schema(text: &LitStr, checked: &Checked<'_>, foreign: bool, errors: &Errors) -> Option<Declared> {
    let schema = schema::read(text, foreign, errors)?;
    if checked.callable {
        arguments::compare(&schema, &checked.function.signature, &checked.parameters, errors);
    }
    Some(Declared::Schema(schema))
}

fn with_name(text: &LitStr, checked: &Checked<'_>, foreign: bool, errors: &Errors) -> Option<Declared> {
    let name = schema::read_name(text, foreign, errors)?;
    let (parameters, output) = (&checked.parameters, checked.function.output());
    let arguments: Vec<String> = parameters.iter().map(|parameter| names::in_schema(&parameter.name)).collect();
    let guessed = schema::guess::schema(parameters, &arguments, &output);
    Some(Declared::Signature(Signature {
        name: schema::qualified(&name),
        guessed: guessed.map(|guessed| format!("{name}{guessed}")),
        overload: name.overload,
        results: schema::guess::results(&output).len(),
        arguments,
    }))
}

/// The type beside the function: called like it, or as `handle` says.
pub(crate) fn handle(options: &Options, function: &Function) -> Ident {
    let given = options.handle.as_ref().and_then(|(_, handle)| handle.as_ref());
    given.unwrap_or(&function.signature.ident).clone()
}

pub(crate) fn hides_a_type(name: &Ident) -> bool {
    is_primitive_type(&name.to_string())
}

fn require_keys(option: &str, place: impl quote::ToTokens, options: &Options, errors: &Errors) {
    if options.keys.is_empty() && !options.in_doubt {
        errors
            .at(place, format!("`{option}` needs the dispatch keys that this function serves\nadd {}", keys::EXPECTED));
    }
}

fn kernels(
    role: &Role,
    of: Option<&Path>,
    options: &Options,
    checked: &Checked<'_>,
    errors: &Errors,
) -> Option<Kernels> {
    require_keys("kernel_of", &role.option, options, errors);
    let (keys, callee) = (options.keys.clone(), checked.callee(options));
    Some(Kernels { of: of?.clone(), keys, is_fake: false, callee, dynamic: Vec::new() })
}

/// What stands on a parameter that is no fake's.
pub(crate) const DYNAMIC_ELSEWHERE: &str = "`dynamic` asks torch for a size that depends on data\nit stands on parameters of a fake, after the operator's arguments: `#[torch(dynamic)] rows: SymInt`";

/// ```text
/// #[torch_op(fake_of = f)] fn g(#[torch(dynamic)] rows: SymInt, x: &FakeTensor)
/// ```
fn fake(of: Option<&Path>, options: &Options, checked: &Checked<'_>, errors: &Errors) -> Option<Kernels> {
    let is_dynamic = |parameter: &&parameter::Parameter| parameter.options.dynamic.is_some();
    let dynamic: Vec<_> = checked.parameters.iter().rev().take_while(is_dynamic).cloned().collect();
    let before = checked.parameters.iter().take(checked.parameters.len() - dynamic.len());
    for parameter in before.filter(is_dynamic) {
        errors.at(
            &parameter.written,
            "sizes that depend on data come after the operator's arguments\nmove it to the end",
        );
    }
    let of = of?.clone();
    let key = Key::meta(checked.function.signature.ident.span());
    Some(Kernels { of, keys: vec![key], is_fake: true, callee: checked.callee(options), dynamic })
}

fn transform(kind: TransformKind, of: Option<&Path>, options: &Options, checked: &Checked<'_>) -> Option<Op> {
    Some(Op::Transform(Transform { kind, of: of?.clone(), callee: checked.callee(options) }))
}

fn backward(of: Option<&Path>, options: &Options, checked: &Checked<'_>, errors: &Errors) -> Option<Backward> {
    if let Some((name, list)) = &options.gradients
        && list.is_empty()
    {
        errors.at(name, "`gradients` names at least one argument: `gradients(x)`");
    }
    let gradients = options.gradients.as_ref().map(|(_, names)| names.clone());
    Some(Backward { of: of?.clone(), gradients, callee: checked.callee(options) })
}
