//! NVRTC: CUDA C++ to machine code, without a GPU and without a toolkit.
//!
//! Opened by path (cudarc's own loader takes what the system's search gives, and panics if there is none); the types are
//! cudarc's.

use super::toolkit;
use crate::error::{Error, Result};
use cudarc::nvrtc::sys::{nvrtcProgram, nvrtcResult};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*);)*) => {
        /// The functions, as nvrtc.h declares them.
        #[allow(non_snake_case)]
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) -> nvrtcResult,)* }

        impl Functions {
            fn of(library: &libloading::Library) -> Result<Self, String> {
                Ok(Functions { $(
                    // SAFETY: nvrtc.h's signature; the library is kept for ever.
                    $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| concat!("it is no NVRTC that torchop can use: it has no ", stringify!($name)))?,
                )* })
            }
        }
    };
}

functions! {
    nvrtcVersion: fn(*mut c_int, *mut c_int);
    nvrtcGetNumSupportedArchs: fn(*mut c_int);
    nvrtcGetSupportedArchs: fn(*mut c_int);
    nvrtcCreateProgram: fn(*mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    nvrtcDestroyProgram: fn(*mut nvrtcProgram);
    nvrtcAddNameExpression: fn(nvrtcProgram, *const c_char);
    nvrtcCompileProgram: fn(nvrtcProgram, c_int, *const *const c_char);
    nvrtcGetLoweredName: fn(nvrtcProgram, *const c_char, *mut *const c_char);
    nvrtcGetProgramLogSize: fn(nvrtcProgram, *mut usize);
    nvrtcGetProgramLog: fn(nvrtcProgram, *mut c_char);
    nvrtcGetCUBINSize: fn(nvrtcProgram, *mut usize);
    nvrtcGetCUBIN: fn(nvrtcProgram, *mut c_char);
    nvrtcGetPTXSize: fn(nvrtcProgram, *mut usize);
    nvrtcGetPTX: fn(nvrtcProgram, *mut c_char);
}

/// An opened NVRTC.
pub(super) struct Nvrtc {
    functions: Functions,
    /// Major and minor.
    pub(super) version: (i32, i32),
    /// Compute capabilities that it compiles for, ascending: 80, 90, …
    pub(super) archs: Vec<i32>,
    includes: Vec<PathBuf>,
}

/// What is compiled.
#[derive(Clone, Debug)]
pub(super) struct Program<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    /// `copy<uint4>`: which function, and of which types.
    pub(super) expression: &'a str,
    pub(super) options: &'a [String],
}

/// What the driver loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// The function's name in it.
    pub(super) symbol: String,
    /// Machine code, or PTX with a NUL at its end.
    pub(super) bytes: Vec<u8>,
}

impl Nvrtc {
    /// The one of this process, opened at the first call. The error says where it was looked for.
    pub(super) fn get() -> Result<&'static Nvrtc> {
        static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
        NVRTC.get_or_init(Nvrtc::open).as_ref().map_err(|text| Error::not_implemented(text.clone()))
    }

    /// What stands for its version in a cache's key. Opening the library takes longer than reading a compiled kernel, so this is
    /// the file's path, size and time, where the file is known without.
    pub(super) fn identity() -> Result<String> {
        let file = toolkit::nvrtc_candidates().into_iter().find_map(|path| {
            let meta = path.is_absolute().then(|| std::fs::metadata(&path).ok()).flatten()?;
            let time = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some(format!("{} {} {}", path.display(), meta.len(), time.as_nanos()))
        });
        match file {
            Some(file) => Ok(file),
            None => Nvrtc::get().map(|nvrtc| format!("{:?}", nvrtc.version)),
        }
    }

    fn open() -> Result<Nvrtc, String> {
        let mut tried = Vec::new();
        for path in toolkit::nvrtc_candidates() {
            // SAFETY: NVRTC's initialisers; the same library that torch opens for its own kernels.
            match unsafe { libloading::Library::new(&path) } {
                Ok(library) => {
                    return Nvrtc::of(library, &path).map_err(|error| format!("{}: {error}", path.display()));
                }
                Err(_) => tried.push(path.display().to_string()),
            }
        }
        Err(format!(
            "CUDA kernels from source need NVRTC, and no libnvrtc could be opened; `pip install nvidia-cuda-nvrtc`, or name the file in TORCHOP_NVRTC (tried {})",
            tried.join(", ")
        ))
    }

    fn of(library: libloading::Library, path: &Path) -> Result<Nvrtc, String> {
        let functions = Functions::of(&library)?;
        std::mem::forget(library);
        for builtins in toolkit::builtins_of(path) {
            // SAFETY: data of NVRTC's own, with no initialisers; it is opened by NVRTC otherwise.
            if let Ok(builtins) = unsafe { libloading::Library::new(builtins) } {
                std::mem::forget(builtins);
            }
        }
        let (mut version, mut count) = ((0, 0), 0);
        // SAFETY: pointers to live numbers, and to as many as it says that there are.
        let archs = unsafe {
            let mut code = (functions.nvrtcVersion)(&mut version.0, &mut version.1);
            if code == nvrtcResult::NVRTC_SUCCESS {
                code = (functions.nvrtcGetNumSupportedArchs)(&mut count);
            }
            let mut archs = vec![0; usize::try_from(count).unwrap_or(0)];
            if code == nvrtcResult::NVRTC_SUCCESS {
                code = (functions.nvrtcGetSupportedArchs)(archs.as_mut_ptr());
            }
            if code != nvrtcResult::NVRTC_SUCCESS {
                return Err(format!("{code:?}"));
            }
            archs
        };
        Ok(Nvrtc { functions, version, archs, includes: toolkit::include_folders(path) })
    }

    /// Compiles for the architecture that a `--gpu-architecture` among the options names: `sm_90` gives machine code,
    /// `compute_90` PTX. The error is NVRTC's log, with the lines of the user's file.
    pub(super) fn compile(&self, program: &Program<'_>) -> Result<Image, String> {
        let source = c_string(program.text)?;
        let (file, expression) = (c_string(program.file)?, c_string(program.expression)?);
        let headers = program.headers.iter().map(|(_, text)| c_string(text)).collect::<Result<Vec<_>, _>>()?;
        let names = program.headers.iter().map(|(name, _)| c_string(name)).collect::<Result<Vec<_>, _>>()?;
        let includes = self.includes.iter().map(|folder| format!("--include-path={}", folder.display()));
        let options = program.options.iter().cloned().chain(includes);
        let options = options.map(|option| c_string(&option)).collect::<Result<Vec<_>, _>>()?;

        let (headers, names, options) = (pointers(&headers), pointers(&names), pointers(&options));
        let mut handle: nvrtcProgram = std::ptr::null_mut();
        let f = &self.functions;
        // SAFETY: live C strings, and as many of them as said.
        let code = unsafe {
            (f.nvrtcCreateProgram)(
                &mut handle,
                source.as_ptr(),
                file.as_ptr(),
                headers.len() as c_int,
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        require(code, "nvrtcCreateProgram")?;
        let open = Open { nvrtc: self, handle };
        // SAFETY: a program that is not destroyed yet, with live C strings.
        unsafe {
            require((f.nvrtcAddNameExpression)(open.handle, expression.as_ptr()), "nvrtcAddNameExpression")?;
            let code = (f.nvrtcCompileProgram)(open.handle, options.len() as c_int, options.as_ptr());
            if code != nvrtcResult::NVRTC_SUCCESS {
                let log = open.text(f.nvrtcGetProgramLogSize, f.nvrtcGetProgramLog)?;
                return Err(self.with_hint(String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end(), code));
            }
            let mut symbol = std::ptr::null();
            require((f.nvrtcGetLoweredName)(open.handle, expression.as_ptr(), &mut symbol), "nvrtcGetLoweredName")?;
            let symbol = CStr::from_ptr(symbol).to_string_lossy().into_owned();
            let cubin = open.text(f.nvrtcGetCUBINSize, f.nvrtcGetCUBIN)?;
            let bytes = if cubin.is_empty() { open.text(f.nvrtcGetPTXSize, f.nvrtcGetPTX)? } else { cubin };
            Ok(Image { symbol, bytes })
        }
    }

    fn with_hint(&self, log: &str, code: nvrtcResult) -> String {
        let mut text = if log.is_empty() { format!("{code:?}") } else { log.to_owned() };
        if text.contains("cannot open source file") {
            let folders: Vec<String> = self.includes.iter().map(|folder| folder.display().to_string()).collect();
            let _ = match folders.is_empty() {
                true => {
                    write!(text, "\nno CUDA headers were found; `pip install nvidia-cuda-runtime`, or set CUDA_HOME")
                }
                false => write!(text, "\nheaders are looked for in {}, and among the kernel's own", folders.join(", ")),
            };
        }
        text
    }
}

/// A program that is destroyed at the end.
struct Open<'a> {
    nvrtc: &'a Nvrtc,
    handle: nvrtcProgram,
}

impl Open<'_> {
    /// # Safety
    /// Two functions of NVRTC's that belong together: the size of something, and the thing.
    unsafe fn text(
        &self,
        size: unsafe extern "C" fn(nvrtcProgram, *mut usize) -> nvrtcResult,
        get: unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> nvrtcResult,
    ) -> Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: the program is live.
        require(unsafe { size(self.handle, &mut length) }, "NVRTC's size of a result")?;
        let mut bytes = vec![0_u8; length];
        if length > 0 {
            // SAFETY: room for as many bytes as it said.
            require(unsafe { get(self.handle, bytes.as_mut_ptr().cast()) }, "a result of NVRTC's")?;
        }
        Ok(bytes)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // SAFETY: made by nvrtcCreateProgram, destroyed once.
        unsafe { (self.nvrtc.functions.nvrtcDestroyProgram)(&mut self.handle) };
    }
}

fn require(code: nvrtcResult, what: &str) -> Result<(), String> {
    if code == nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(format!("{what}: {code:?}")) }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "the source, a header or an option has a NUL in it".into())
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).collect()
}
