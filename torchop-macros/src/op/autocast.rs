//! `autocast(…)`: the dtypes that the tensors of an operator are cast to in a region of autocast.

use crate::attribute_list::Entry;
use crate::errors::Errors;
use crate::text::{did_you_mean, listed};
use proc_macro2::TokenStream;
use quote::quote;

/// One device's rule.
#[derive(Clone)]
pub(crate) struct Rule {
    device: &'static Device,
    dtype: i8,
}

struct Device {
    name: &'static str,
    /// Torch's dispatch key, and its number of the device.
    key: &'static str,
    number: i8,
}

const DEVICES: [Device; 3] = [
    Device { name: "cpu", key: "AutocastCPU", number: 0 },
    Device { name: "cuda", key: "AutocastCUDA", number: 1 },
    Device { name: "xpu", key: "AutocastXPU", number: 12 },
];

static ALL: [Device; 3] = DEVICES;

/// Names with torch's numbers; the region's own dtype has none.
const DTYPES: [(&str, i8); 4] = [("bf16", 15), ("f16", 5), ("f32", 6), ("lower_precision", -1)];

const FORM: &str = "autocast(cuda = bf16, cpu = bf16)` or `autocast(f32)";

/// The rules that the option gives.
pub(crate) fn rules(entry: &Entry, errors: &Errors) -> Vec<Rule> {
    let mut rules = Vec::new();
    let Some(parts) = entry.nested(FORM, errors) else { return rules };
    if parts.is_empty() {
        errors.at(&entry.name, format!("`autocast` needs a dtype: `{FORM}`"));
    }
    for part in &parts {
        let name = part.text();
        if part.is_flag() {
            // A dtype alone: for all devices.
            let Some(dtype) = dtype(&name, part, errors) else { continue };
            rules.extend(ALL.iter().map(|device| Rule { device, dtype }));
            if parts.len() > 1 {
                errors
                    .at(&part.name, "a dtype for all devices stands alone\nwrite `cpu = …, cuda = …` for each device");
            }
            continue;
        }
        let Some(device) = ALL.iter().find(|device| device.name == name) else {
            let names = ALL.iter().map(|device| device.name);
            errors.at(
                &part.name,
                format!(
                    "autocast has no device `{name}`, expected one of {}{}",
                    listed(names.clone()),
                    did_you_mean(&name, names)
                ),
            );
            continue;
        };
        let Some(word) = part.value::<syn::Ident>("cpu = bf16", errors) else { continue };
        if let Some(dtype) = dtype(&word.to_string(), &word, errors) {
            rules.push(Rule { device, dtype });
        }
    }
    rules
}

fn dtype(name: &str, place: impl quote::ToTokens, errors: &Errors) -> Option<i8> {
    let found = DTYPES.iter().find(|(dtype, _)| *dtype == name).map(|(_, number)| *number);
    if found.is_none() {
        let names = DTYPES.iter().map(|(dtype, _)| *dtype);
        errors.at(
            place,
            format!(
                "autocast has no dtype `{name}`, expected one of {}{}",
                listed(names.clone()),
                did_you_mean(name, names)
            ),
        );
    }
    found
}

/// A slice of `AutocastDef`s.
pub(crate) fn constant(rules: &[Rule]) -> TokenStream {
    let rules = rules.iter().map(|Rule { device, dtype }| {
        let (key, number) = (device.key, device.number);
        quote!(__torchop::AutocastDef { key: #key, device: #number, dtype: #dtype })
    });
    quote!(&[#(#rules),*])
}
