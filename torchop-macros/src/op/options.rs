//! The options of `#[torch_op(…)]`.

use super::autocast;
use super::keys::{self, Key};
use crate::attribute_list::{Entry, Like, entries};
use crate::crate_path::CratePath;
use crate::errors::Errors;
use crate::text::{did_you_mean, listed};
use proc_macro2::{Ident, Span, TokenStream};
use syn::{LitStr, Path};

/// All options of one attribute.
pub(crate) struct Options {
    pub(crate) role: Option<Role>,
    pub(crate) keys: Vec<Key>,
    /// An option is in error, so what seems to be missing may be that one.
    pub(crate) in_doubt: bool,
    pub(crate) tags: Option<(Ident, Vec<Ident>)>,
    pub(crate) handle: Option<(Ident, Option<Ident>)>,
    pub(crate) gradients: Option<(Ident, Vec<Ident>)>,
    /// `fake = like(x)`
    pub(crate) like: Option<(Ident, Option<Ident>)>,
    /// The option's name, and the results that it names; none for all.
    pub(crate) nondifferentiable: Option<(Ident, Option<Vec<Ident>>)>,
    pub(crate) autocast: Option<(Ident, Vec<autocast::Rule>)>,
    /// `effectful`
    pub(crate) effectful: Option<Ident>,
    /// `sharding = pointwise`
    pub(crate) sharding: Option<(Ident, Option<Ident>)>,
    /// `foreign`
    pub(crate) foreign: Option<Ident>,
    pub(crate) crate_path: CratePath,
}

/// What the function is for, with the option that says so. What the option names is `None` if it was in error.
pub(crate) struct Role {
    pub(crate) option: Ident,
    pub(crate) kind: RoleKind,
}

pub(crate) enum RoleKind {
    /// `schema = …`
    Definition(Option<LitStr>),
    /// `name = …`: a definition whose schema is inferred.
    Inferred(Option<LitStr>),
    Kernel(Option<Path>),
    Fake(Option<Path>),
    Backward(Option<Path>),
    /// `backward_of = …` and `name = …`: a backward that is an operator.
    BackwardOp(Option<LitStr>, Option<Path>),
    Jvp(Option<Path>),
    Batch(Option<Path>),
}

const OPTIONS: [&str; 17] = [
    "schema",
    "name",
    "kernel_of",
    "fake_of",
    "backward_of",
    "jvp_of",
    "batch_of",
    "tags",
    "handle",
    "gradients",
    "crate",
    "autocast",
    "fake",
    "nondifferentiable",
    "effectful",
    "foreign",
    "sharding",
];

/// Parses the options; everything that is wrong with them by themselves is reported.
pub(crate) fn parse(tokens: TokenStream, errors: &Errors) -> Options {
    let before = errors.count();
    let mut options = Options {
        role: None,
        keys: Vec::new(),
        in_doubt: false,
        tags: None,
        handle: None,
        gradients: None,
        like: None,
        nondifferentiable: None,
        autocast: None,
        effectful: None,
        sharding: None,
        foreign: None,
        crate_path: CratePath::new(None),
    };
    for entry in entries(tokens, errors) {
        options.add(&entry, errors);
    }
    options.in_doubt = errors.count() > before;
    if options.role.is_none() && !options.in_doubt {
        errors.at_span(
            Span::call_site(),
            "`#[torch_op]` needs to know what the function is for\n\
             write `schema = \"ns::f(Tensor x) -> Tensor\"` or `name = \"ns::f\"` to define an operator, or `kernel_of = f`, \
             `fake_of = f`, `backward_of = f`, `jvp_of = f` or `batch_of = f` to add to one",
        );
    }
    options
}

impl RoleKind {
    pub(crate) fn is_definition(&self) -> bool {
        matches!(self, RoleKind::Definition(_) | RoleKind::Inferred(_) | RoleKind::BackwardOp(..))
    }
}

impl Options {
    fn add(&mut self, entry: &Entry, errors: &Errors) {
        match entry.text().as_str() {
            "schema" => {
                let text = entry.text_value("schema = \"ns::f(Tensor x) -> Tensor\"", errors);
                self.set_role(entry, RoleKind::Definition(text), errors);
            }
            "name" => {
                let name = entry.text_value("name = \"ns::f\"", errors);
                self.set_role(entry, RoleKind::Inferred(name), errors);
            }
            "kernel_of" => {
                let path = entry.value("kernel_of = f", errors);
                self.set_role(entry, RoleKind::Kernel(path), errors);
            }
            "fake_of" => {
                let path = entry.value("fake_of = f", errors);
                self.set_role(entry, RoleKind::Fake(path), errors);
            }
            "backward_of" => {
                let path = entry.value("backward_of = f", errors);
                self.set_role(entry, RoleKind::Backward(path), errors);
            }
            "jvp_of" => {
                let path = entry.value("jvp_of = f", errors);
                self.set_role(entry, RoleKind::Jvp(path), errors);
            }
            "batch_of" => {
                let path = entry.value("batch_of = f", errors);
                self.set_role(entry, RoleKind::Batch(path), errors);
            }
            "autocast" => self.autocast = Some((entry.name.clone(), autocast::rules(entry, errors))),
            "nondifferentiable" => {
                let names = if entry.is_flag() { None } else { entry.list("nondifferentiable(output1)", errors) };
                self.nondifferentiable = Some((entry.name.clone(), names));
            }
            "effectful" => {
                entry.flag(errors);
                self.effectful = Some(entry.name.clone());
            }
            "foreign" => {
                entry.flag(errors);
                self.foreign = Some(entry.name.clone());
            }
            "sharding" => self.sharding = Some((entry.name.clone(), entry.value("sharding = pointwise", errors))),
            "tags" => self.tags = entry.list("tags(pointwise)", errors).map(|tags| (entry.name.clone(), tags)),
            "gradients" => {
                self.gradients = entry.list("gradients(x, weight)", errors).map(|names| (entry.name.clone(), names));
            }
            "fake" => {
                let like = entry.value::<Like>("fake = like(x)", errors).map(|like| like.0);
                self.like = Some((entry.name.clone(), like));
            }
            "handle" => self.handle = Some((entry.name.clone(), entry.value("handle = Name", errors))),
            "crate" => self.crate_path = CratePath::new(entry.value("crate = path", errors).as_ref()),
            _ => self.add_key(entry, errors),
        }
    }

    fn set_role(&mut self, entry: &Entry, kind: RoleKind, errors: &Errors) {
        match (&self.role, &kind) {
            (Some(Role { kind: RoleKind::Definition(_), .. }), RoleKind::Inferred(_))
            | (Some(Role { kind: RoleKind::Inferred(_), .. }), RoleKind::Definition(_)) => {
                errors.at(
                    &entry.name,
                    "the schema says the name already\ntake `name` away, or take `schema` away to have it inferred",
                );
            }
            (Some(Role { kind: RoleKind::Inferred(name), .. }), RoleKind::Backward(of)) => {
                let kind = RoleKind::BackwardOp(name.clone(), of.clone());
                self.role = Some(Role { option: entry.name.clone(), kind });
            }
            (Some(Role { kind: RoleKind::Backward(of), option }), RoleKind::Inferred(name)) => {
                let kind = RoleKind::BackwardOp(name.clone(), of.clone());
                self.role = Some(Role { option: option.clone(), kind });
            }
            (Some(first), _) => errors.at(
                &entry.name,
                format!(
                    "a function has one role, and `{}` gives it one already\nwrite a function for each",
                    first.option
                ),
            ),
            (None, _) => self.role = Some(Role { option: entry.name.clone(), kind }),
        }
    }

    fn add_key(&mut self, entry: &Entry, errors: &Errors) {
        let text = entry.text();
        let Some(key) = Key::named(&entry.name) else {
            let near = did_you_mean(&text, keys::all_names().chain(OPTIONS));
            errors.at(
                &entry.name,
                format!(
                    "unknown option `{text}`{near}\nthe options are {}; the keys are {}",
                    listed(OPTIONS),
                    keys::EXPECTED
                ),
            );
            return;
        };
        entry.flag(errors);
        if key.torch == keys::META {
            errors.at(
                &entry.name,
                "a kernel for `Meta` is a fake\nwrite it as a function of its own, with `fake_of = f`",
            );
        } else if self.keys.iter().any(|other| other.torch == key.torch) {
            errors.at(&entry.name, format!("the key `{}` is given twice", key.torch));
        } else {
            self.keys.push(key);
        }
    }
}
