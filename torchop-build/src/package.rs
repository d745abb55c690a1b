//! A folder that holds torch (`include/`, `lib/`), and what its files say about it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::search::Source;
use crate::version::Version;

/// A torch to build against.
#[derive(Clone, Debug)]
pub struct Torch {
    /// The folder with `include/` and `lib/`: the torch package of a Python, or an unpacked libtorch.
    pub root: PathBuf,
    /// For the C++ compiler, in order.
    pub include_dirs: Vec<PathBuf>,
    /// Where `libtorch_cpu` and `libc10` are.
    pub lib_dir: PathBuf,
    /// Its version.
    pub version: Version,
    /// Whether its strings are those of GCC 5 and newer; all wheels since 2.7 are built so. True where the question does not arise.
    pub cxx11_abi: bool,
    /// The CUDA release it was built with, such as `13.2`; `None` for a CPU-only torch.
    pub cuda: Option<String>,
    /// The interpreter it belongs to; `None` if it was named by `LIBTORCH`.
    pub python: Option<PathBuf>,
    /// How it was found.
    pub source: Source,
    /// Files that change, or vanish, when another torch is installed in its place.
    pub(crate) watched: Vec<PathBuf>,
    /// Environment variables that led here.
    pub(crate) variables: Vec<&'static str>,
}

impl Torch {
    /// Reads a folder; the error is one line that says what it lacks.
    pub(crate) fn read(root: &Path, source: Source, python: Option<PathBuf>) -> Result<Torch, String> {
        let (include, lib) = (root.join("include"), root.join("lib"));
        for needed in ["torch/library.h", "c10/util/Exception.h"] {
            if !include.join(needed).is_file() {
                return Err(format!("{} has no include/{needed}", root.display()));
            }
        }
        let library =
            |name| lib.join(format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
        for needed in [library("torch_cpu"), library("c10")] {
            if !needed.is_file() {
                return Err(format!("{} is missing", needed.display()));
            }
        }
        let (version, cuda, mut watched) = version(root)?;
        watched.extend(dist_info(root, &version));
        Ok(Torch {
            root: root.to_owned(),
            include_dirs: vec![include.clone(), include.join("torch/csrc/api/include")],
            cxx11_abi: cxx11_abi(&library("c10")),
            lib_dir: lib,
            version,
            cuda,
            python,
            source,
            watched,
            variables: Vec::new(),
        })
    }

    /// Flags for the C++ compiler: where torch's headers are, their language standard, the string ABI of its libraries, and no
    /// path of this machine in the file names that torch's own checks put into their texts. Without debug assertions, as torch
    /// is built itself (with them its inline functions check and trace at every call); nothing is exported.
    pub fn cxx_flags(&self) -> Vec<String> {
        let mut flags: Vec<String> =
            self.include_dirs.iter().flat_map(|dir| ["-isystem".to_owned(), dir.display().to_string()]).collect();
        flags.extend(["-std=c++20", "-DNDEBUG", "-fvisibility=hidden"].map(str::to_owned));
        flags.push(format!("-ffile-prefix-map={}=torch", self.root.display()));
        if cfg!(target_os = "linux") {
            flags.push(format!("-D_GLIBCXX_USE_CXX11_ABI={}", u8::from(self.cxx11_abi)));
        }
        flags
    }
}

/// Version and CUDA release, and the file that says so: `version.py` of a package, `build-version` of a libtorch, or a header of either.
fn version(root: &Path) -> Result<(Version, Option<String>, Vec<PathBuf>), String> {
    let python = root.join("version.py");
    if let Ok(text) = fs::read_to_string(&python) {
        let value = |name: &str| text.lines().find_map(|line| quoted(line.strip_prefix(name)?));
        let version = value("__version__").and_then(Version::parse);
        let version = version.ok_or_else(|| format!("{} names no version", python.display()))?;
        let cuda = value("cuda").map(str::to_owned);
        return Ok((version, cuda, vec![python]));
    }
    let build = root.join("build-version");
    if let Some(version) = fs::read_to_string(&build).ok().and_then(|text| Version::parse(&text)) {
        let cuda = version.cuda();
        return Ok((version, cuda, vec![build]));
    }
    // Where torch 2.9 and newer, and where older ones keep it.
    for header in ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"] {
        let header = root.join("include").join(header);
        if let Some(version) = fs::read_to_string(&header).ok().and_then(|text| version_of_header(&text)) {
            return Ok((version, None, vec![header]));
        }
    }
    Err(format!("{} does not say its version (version.py, build-version, version.h)", root.display()))
}

/// The string literal after `=` in `: Optional[str] = '13.2'`; `None` for `= None`.
fn quoted(rest: &str) -> Option<&str> {
    let value = rest.split_once('=')?.1.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    value[1..].split_once(quote).map(|(text, _)| text)
}

fn version_of_header(text: &str) -> Option<Version> {
    let number = |part: &str| {
        let name = format!("TORCH_VERSION_{part}");
        text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("#define") && words.next() == Some(&name)).then(|| words.next())?
        })
    };
    Version::parse(&format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
}

/// The record of the installed package. Another version removes it, even where an installer keeps old file times.
fn dist_info(root: &Path, version: &Version) -> Option<PathBuf> {
    let site = root.parent()?;
    let public = version.text.split('+').next()?;
    [version.text.as_str(), public]
        .map(|name| site.join(format!("torch-{name}.dist-info/RECORD")))
        .into_iter()
        .find(|file| file.is_file())
}

/// Read from the name of a function that takes a `std::string`: no file of torch says it in words.
fn cxx11_abi(libc10: &Path) -> bool {
    const OLD: &[u8] = b"_ZN3c106detail14torchCheckFailEPKcS2_jRKSs";
    fs::read(libc10).map_or(true, |bytes| !bytes.windows(OLD.len()).any(|window| window == OLD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_version_py_are_read_in_every_form() {
        assert_eq!(quoted(": Optional[str] = '13.0'"), Some("13.0"));
        assert_eq!(quoted(" = \"2.11.0\""), Some("2.11.0"));
        assert_eq!(quoted(": Optional[str] = None"), None);
        assert_eq!(quoted(""), None);
    }

    #[test]
    fn a_header_gives_the_version() {
        let text = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 15\n#define TORCH_VERSION_PATCH 1\n";
        assert_eq!(version_of_header(text).unwrap().text, "2.15.1");
        assert_eq!(version_of_header("#define TORCH_VERSION_MAJOR 2\n"), None);
    }
}
