//! Every kernel of this library, compiled without a GPU.

use super::definition::{CUDA_KERNELS, Code};
use super::instance;
use super::nvrtc::Nvrtc;
use crate::error::{Error, Result};

/// Compiles every kernel that this library declares from source, with every choice of values, for each architecture (`"sm_90"`;
/// `"newest"` is the newest that NVRTC knows). Gives the number of compilations. Needs NVRTC, but no GPU: for tests.
///
/// ```no_run
/// #[test]
/// fn kernels_compile() -> torchop_runtime::Result<()> {
///     torchop_runtime::cuda::compile_all(&["sm_80", "sm_90", "newest"]).map(|_| ())
/// }
/// ```
///
/// # Errors
/// `NotImplementedError` if there is no NVRTC; one `RuntimeError` for all kernels that do not compile, with NVRTC's log, or
/// take other parameters than declared.
pub fn compile_all(archs: &[&str]) -> Result<usize> {
    let nvrtc = Nvrtc::get()?;
    let mut defs: Vec<_> = CUDA_KERNELS.iter().filter(|def| matches!(def.code, Code::Source(..))).collect();
    defs.sort_by_key(|def| (def.location, def.name));
    let (mut count, mut errors) = (0, Vec::new());
    for (position, arch) in archs.iter().enumerate() {
        let arch = match (*arch, nvrtc.archs.last()) {
            ("newest", Some(newest)) => newest.to_string(),
            (arch, _) => arch.trim_start_matches("sm_").to_owned(),
        };
        for def in &defs {
            for chosen in def.all() {
                let compiled =
                    |kind: &str| instance::compile(def, &chosen, &format!("--gpu-architecture={kind}_{arch}"));
                let checked = || {
                    compiled("sm")?;
                    if position > 0 {
                        return Ok(());
                    }
                    // The parameters are the same on all.
                    let ptx = compiled("compute")?;
                    instance::matches(def, &parameter_sizes(&ptx.bytes, &ptx.symbol)?)
                };
                match checked() {
                    Ok(()) => count += 1,
                    Err(error) => errors.push(format!(
                        "CUDA kernel `{}` ({}): {}",
                        def.title(&chosen),
                        def.location,
                        error.message()
                    )),
                }
            }
        }
    }
    if errors.is_empty() { Ok(count) } else { Err(Error::runtime(errors.join("\n"))) }
}

/// The version of NVRTC, major and minor.
///
/// # Errors
/// `NotImplementedError` that says where it was looked for.
pub fn nvrtc_version() -> Result<(i32, i32)> {
    Nvrtc::get().map(|nvrtc| nvrtc.version)
}

/// The sizes of a kernel's parameters, as its PTX declares them: `.param .u64 name,` or `.param .align 8 .b8 name[136],`.
fn parameter_sizes(ptx: &[u8], symbol: &str) -> Result<Vec<usize>> {
    let text = String::from_utf8_lossy(ptx);
    let unknown = || Error::runtime(format!("the PTX of `{symbol}` is not understood"));
    let entry = text.find(&format!(".entry {symbol}(")).ok_or_else(unknown)?;
    let list = text[entry..].split_once('(').and_then(|(_, rest)| rest.split_once(')')).ok_or_else(unknown)?.0;
    list.split(',')
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| size_of(line).ok_or_else(unknown))
        .collect()
}

fn size_of(line: &str) -> Option<usize> {
    let is_type = |word: &str| word.strip_prefix(['b', 'u', 's', 'f']).and_then(|bits| bits.parse::<usize>().ok());
    let bits = line.split_whitespace().find_map(|word| is_type(word.strip_prefix('.')?))?;
    let count = match line.split_once('[') {
        Some((_, count)) => count.trim_end_matches(']').trim().parse().ok()?,
        None => 1,
    };
    Some(bits / 8 * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_ptx() {
        let ptx = b".visible .entry _Z4copy(\n\t.param .u64 .ptr .align 1 a,\n\t.param .align 8 .b8 b[136],\n\t.param .f32 c\n)\n{";
        assert_eq!(parameter_sizes(ptx, "_Z4copy").unwrap(), [8, 136, 4]);
        assert!(parameter_sizes(b".entry f()\n{", "f").unwrap().is_empty());
        assert!(parameter_sizes(b"", "f").is_err());
    }
}
