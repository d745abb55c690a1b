//! `#[torch(…)]` on a parameter.

use super::default_value::DefaultValue;
use crate::attribute_list;
use crate::errors::Errors;
use crate::text::{did_you_mean, listed};
use proc_macro2::Ident;
use syn::{Attribute, Expr, FnArg, Meta, Signature};

/// What stands there.
#[derive(Clone, Default)]
pub(crate) struct ParameterOptions {
    /// An `i64` is `int`, not a size.
    pub(crate) int: Option<Ident>,
    /// The default, with the option's name; `None` if it was in error.
    pub(crate) default: Option<(Ident, Option<DefaultValue>)>,
    /// Torch gives a size that depends on data.
    pub(crate) dynamic: Option<Ident>,
}

const OPTIONS: [&str; 3] = ["default", "int", "dynamic"];

impl ParameterOptions {
    /// The default, if it is a good one.
    pub(crate) fn default_value(&self) -> Option<&DefaultValue> {
        self.default.as_ref().and_then(|(_, value)| value.as_ref())
    }

    /// For functions that take no such options: `default` and `int` say why.
    pub(crate) fn refuse(&self, default: &str, int: &str, errors: &Errors) {
        if let Some((name, _)) = &self.default {
            errors.at(name, default);
        }
        if let Some(name) = &self.int {
            errors.at(name, int);
        }
    }

    fn add(&mut self, attribute: &Attribute, errors: &Errors) {
        let Meta::List(list) = &attribute.meta else {
            errors.at(attribute, format!("`#[torch]` needs an option, one of {}", listed(OPTIONS)));
            return;
        };
        for option in attribute_list::entries(list.tokens.clone(), errors) {
            match option.text().as_str() {
                "default" => {
                    let value = option.value::<Expr>("default = 1.0", errors);
                    let value = value.and_then(|value| DefaultValue::read(&value, errors));
                    self.default = Some((option.name.clone(), value));
                }
                "int" => {
                    option.flag(errors);
                    self.int = Some(option.name.clone());
                }
                "dynamic" => {
                    option.flag(errors);
                    self.dynamic = Some(option.name.clone());
                }
                other => errors.at(
                    &option.name,
                    format!(
                        "unknown option `{other}`, expected one of {}{}",
                        listed(OPTIONS),
                        did_you_mean(other, OPTIONS)
                    ),
                ),
            }
        }
    }
}

/// Takes `#[torch(…)]` off the parameters, which rustc would not know, and reads it: one for each input.
pub(crate) fn take(signature: &mut Signature, errors: &Errors) -> Vec<ParameterOptions> {
    let taken = signature.inputs.iter_mut().map(|input| {
        let (attributes, is_receiver) = match input {
            FnArg::Typed(typed) => (&mut typed.attrs, false),
            FnArg::Receiver(receiver) => (&mut receiver.attrs, true),
        };
        let (ours, others) = attributes.drain(..).partition(|attribute| attribute.path().is_ident("torch"));
        *attributes = others;
        let ours: Vec<Attribute> = ours;
        let mut options = ParameterOptions::default();
        for attribute in &ours {
            if is_receiver {
                errors.at(attribute, "`self` takes no options");
            } else {
                options.add(attribute, errors);
            }
        }
        options
    });
    taken.collect()
}
