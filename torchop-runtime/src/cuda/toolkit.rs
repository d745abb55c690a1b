//! Where NVRTC and the CUDA headers are: beside torch, as pip installs them, or where a toolkit puts them.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A library of that name before all others.
const LIBRARY_VARIABLE: &str = "TORCHOP_NVRTC";
/// Folders of toolkits.
const TOOLKIT_VARIABLES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// Files to try as NVRTC, the best first. Those without a folder are for the loader's own search.
pub(super) fn nvrtc_candidates() -> Vec<PathBuf> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE).filter(|path| !path.is_empty()) {
        return vec![path.into()];
    }
    let loaded = loaded_libraries();
    let mut found: Vec<PathBuf> = loaded.iter().filter(|path| is_nvrtc(path)).cloned().collect();
    let mut folders: Vec<PathBuf> = loaded
        .iter()
        .filter(|path| path.file_name().is_some_and(|name| name == "libtorch_cpu.so"))
        // What is loaded may be a link to torch's own file.
        .filter_map(|path| path.canonicalize().ok()?.parent().map(Path::to_owned))
        .flat_map(|lib| beside_torch(&lib))
        .collect();
    for root in TOOLKIT_VARIABLES.into_iter().filter_map(std::env::var_os).map(PathBuf::from) {
        folders.extend([root.join("lib64"), root.join("lib")]);
    }
    folders.push("/usr/local/cuda/lib64".into());
    found.extend(folders.iter().flat_map(|folder| nvrtc_in(folder)));
    found.extend(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].map(PathBuf::from));
    found
}

/// `torch/lib` itself, and the `lib` folders of the `nvidia` packages beside the package.
fn beside_torch(lib: &Path) -> Vec<PathBuf> {
    let mut folders = vec![lib.to_owned()];
    if let Some(packages) = lib.parent().and_then(Path::parent) {
        folders.extend(sorted(&packages.join("nvidia")).into_iter().map(|package| package.join("lib")));
    }
    folders
}

fn nvrtc_in(folder: &Path) -> Vec<PathBuf> {
    sorted(folder).into_iter().filter(|path| is_nvrtc(path)).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // Newest version first.
    paths.sort_by(|a, b| b.cmp(a));
    paths
}

/// `libnvrtc.so.13`, and `libnvrtc-0123abcd.so.13` as torch's own archives name it; neither its built-ins nor a stub.
fn is_nvrtc(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.strip_prefix("libnvrtc")
        .is_some_and(|rest| rest.contains(".so") && !rest.contains("builtins") && !rest.contains(".alt"))
}

/// The built-ins of the NVRTC of that path, which it opens by name: its own folder may be none that the loader searches.
pub(super) fn builtins_of(nvrtc: &Path) -> Vec<PathBuf> {
    let is_builtins = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"libnvrtc-builtins") && !contains(name, ".alt"))
    };
    nvrtc.parent().map(sorted).unwrap_or_default().into_iter().filter(is_builtins).collect()
}

fn contains(name: &OsStr, part: &str) -> bool {
    name.to_string_lossy().contains(part)
}

/// Folders to look for `cuda_fp16.h` and the like in, for the NVRTC of that path.
pub(super) fn include_folders(nvrtc: &Path) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    // nvidia/cu13/lib/libnvrtc.so.13 has nvidia/cu13/include; nvidia/cuda_nvrtc/lib has nvidia/cuda_runtime/include.
    if let Some(root) = nvrtc.parent().and_then(Path::parent) {
        roots.push(root.to_owned());
        roots.extend(root.parent().map(|packages| packages.join("cuda_runtime")));
    }
    roots.extend(TOOLKIT_VARIABLES.into_iter().filter_map(std::env::var_os).map(PathBuf::from));
    roots.push("/usr/local/cuda".into());
    let includes = roots.into_iter().map(|root| root.join("include"));
    let Some(include) = includes.into_iter().find(|folder| folder.join("cuda_fp16.h").is_file()) else {
        return Vec::new();
    };
    let cccl = include.join("cccl");
    if cccl.is_dir() { vec![include, cccl] } else { vec![include] }
}

/// The files of all libraries in this process.
fn loaded_libraries() -> Vec<PathBuf> {
    unsafe extern "C" fn gather(info: *mut libc::dl_phdr_info, _: libc::size_t, out: *mut c_void) -> c_int {
        // SAFETY: the loader passes a live entry, and `out` back to us.
        let (name, out) = unsafe { ((*info).dlpi_name, &mut *out.cast::<Vec<PathBuf>>()) };
        if !name.is_null() {
            // SAFETY: a C string of the loader's.
            let name = unsafe { CStr::from_ptr(name) };
            out.push(OsStr::from_bytes(name.to_bytes()).into());
        }
        0
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    // SAFETY: the callback does not unwind (pushing a path), and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(gather), (&raw mut paths).cast()) };
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvrtc_is_told_from_its_relatives() {
        for name in ["libnvrtc.so", "/x/libnvrtc.so.13", "libnvrtc-0a1b.so.12"] {
            assert!(is_nvrtc(Path::new(name)), "{name}");
        }
        for name in ["libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13", "libnvrtc_static.a", "libcuda.so.1"] {
            assert!(!is_nvrtc(Path::new(name)), "{name}");
        }
    }
}
