//! What a declaration leaves behind.

use crate::error::{Error, Result};
use crate::registration::Location;

/// All kernels that this library declares.
#[doc(hidden)]
#[linkme::distributed_slice]
pub static CUDA_KERNELS: [&'static KernelDef];

/// A kernel's declaration. Its address is its identity: always a `static`.
#[derive(Debug)]
pub struct KernelDef {
    /// As in the source, without template arguments.
    pub name: &'static str,
    /// Where its code comes from.
    pub code: Code,
    /// Names and texts of files that the source may include.
    pub headers: &'static [(&'static str, &'static str)],
    /// Options for NVRTC.
    pub options: &'static [&'static str],
    /// Template parameters, in order.
    pub template: &'static [Choice],
    /// Macros.
    pub defines: &'static [Choice],
    /// Names and sizes in bytes.
    pub parameters: &'static [(&'static str, usize)],
    /// Where it is declared.
    pub location: Location,
}

/// Where a kernel's code comes from.
#[derive(Debug)]
pub enum Code {
    /// CUDA C++, compiled at the first use: file and text.
    Source(&'static str, &'static str),
    /// PTX or machine code, made before: file and bytes.
    Image(&'static str, &'static [u8]),
}

/// A name with the values that it may have.
#[derive(Debug)]
pub struct Choice {
    /// The template parameter or macro.
    pub name: &'static str,
    /// Its values, as CUDA C++ writes them.
    pub values: &'static [&'static str],
}

/// Which values are chosen, by their positions.
pub(super) type Chosen = [u8];

impl KernelDef {
    fn choices(&self) -> impl Iterator<Item = &'static Choice> {
        self.template.iter().chain(self.defines)
    }

    /// The positions of the values in their lists.
    pub(super) fn choose<const N: usize>(&self, values: [&str; N]) -> Result<[u8; N]> {
        let mut chosen = [0; N];
        for ((choice, value), place) in self.choices().zip(values).zip(&mut chosen) {
            match choice.values.iter().position(|known| *known == value) {
                Some(position) => *place = position as u8,
                None => return Err(self.error(&no_such_value(choice, value))),
            }
        }
        Ok(chosen)
    }

    /// Every combination.
    pub(super) fn all(&self) -> Vec<Vec<u8>> {
        self.choices().fold(vec![Vec::new()], |all, choice| {
            let longer = |chosen: &Vec<u8>| {
                let chosen = chosen.clone();
                (0..choice.values.len()).map(move |position| [&chosen[..], &[position as u8]].concat())
            };
            all.iter().flat_map(longer).collect()
        })
    }

    /// `copy<uint4, unsigned int>`.
    pub(super) fn expression(&self, chosen: &Chosen) -> String {
        if self.template.is_empty() {
            return self.name.into();
        }
        let values: Vec<&str> =
            self.template.iter().zip(chosen).map(|(choice, &at)| choice.values[usize::from(at)]).collect();
        format!("{}<{}>", self.name, values.join(", "))
    }

    /// `--define-macro=TILE=32`.
    pub(super) fn defined(&self, chosen: &Chosen) -> Vec<String> {
        let defines = self.defines.iter().zip(&chosen[self.template.len()..]);
        defines
            .map(|(choice, &at)| format!("--define-macro={}={}", choice.name, choice.values[usize::from(at)]))
            .collect()
    }

    /// For messages: the expression, and the macros.
    pub(super) fn title(&self, chosen: &Chosen) -> String {
        let defines: Vec<String> =
            self.defined(chosen).iter().map(|text| text.replace("--define-macro=", "")).collect();
        match defines.is_empty() {
            true => self.expression(chosen),
            false => format!("{} with {}", self.expression(chosen), defines.join(", ")),
        }
    }

    /// An error of a launch that has not come to its instance.
    #[cold]
    pub(super) fn error(&self, text: &str) -> Error {
        Error::value(format!("CUDA kernel `{}`: {text}", self.name)).of_op()
    }
}

#[cold]
fn no_such_value(choice: &Choice, value: &str) -> String {
    let values: Vec<String> = choice.values.iter().map(|value| format!("`{value}`")).collect();
    format!("`{}` is declared with {}, found `{value}`", choice.name, values.join(", "))
}

/// What a kernel may include beside its own headers.
pub(super) const HEADER: (&str, &str) = ("torchop.cuh", include_str!("torchop.cuh"));

#[cfg(test)]
mod tests {
    use super::*;

    static DEF: KernelDef = KernelDef {
        name: "copy",
        code: Code::Source("copy.cu", ""),
        headers: &[],
        options: &[],
        template: &[Choice { name: "Word", values: &["uint2", "uint4"] }, Choice { name: "Index", values: &["int"] }],
        defines: &[Choice { name: "TILE", values: &["16", "32"] }],
        parameters: &[],
        location: Location { file: "", line: 0 },
    };

    #[test]
    fn values_become_positions_and_names() {
        let chosen = DEF.choose(["uint4", "int", "16"]).unwrap();
        assert_eq!(chosen, [1, 0, 0]);
        assert_eq!(DEF.title(&chosen), "copy<uint4, int> with TILE=16");
        assert_eq!(DEF.all().len(), 4);
        let error = DEF.choose(["uint3", "int", "16"]).unwrap_err();
        assert_eq!(error.message(), "CUDA kernel `copy`: `Word` is declared with `uint2`, `uint4`, found `uint3`");
    }
}
