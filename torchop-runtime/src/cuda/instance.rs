//! A kernel made ready for one card and one choice of values.

use super::definition::{Chosen, Code, HEADER, KernelDef};
use super::disk;
use super::driver::{self, Card, Driver, Relaxed};
use super::nvrtc::{Image, Nvrtc, Program};
use crate::error::{Error, Result};
use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute_enum as Attribute, CUmodule, CUresult};
use std::ffi::{CString, c_void};

/// A function on a card.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) function: CUfunction,
    pub(super) card: &'static Card,
    /// `copy<uint4>`, for messages.
    pub(super) title: String,
    /// The most threads that a block may have, of this kernel on this card.
    pub(super) threads: u64,
    /// The most dynamic shared memory in bytes.
    pub(super) shared: u32,
}

// SAFETY: a function of a module that is never unloaded; the driver takes it from any thread.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instance {
    /// Compiles or reads the code and loads it. The card is the current device.
    pub(super) fn make(def: &'static KernelDef, chosen: &Chosen, index: u8) -> Result<Instance> {
        let title = def.title(chosen);
        let failed = |error: Error| error.with_prefix(&format!("CUDA kernel `{title}`: ")).of_op();
        let made = || {
            let driver = Driver::get()?;
            let card = driver.card(index)?;
            card.bind()?;
            // Others may be capturing a graph now, on this thread too.
            let _relaxed = Relaxed::new()?;
            let function = function(def, chosen, card)?;
            check_parameters(def, driver, function)?;
            let (threads, shared) = limits(card, function)?;
            Ok(Instance { function, card, title: title.clone(), threads, shared })
        };
        made().map_err(failed)
    }
}

/// The image for an architecture, from NVRTC; the error says what does not compile.
pub(super) fn compile(def: &KernelDef, chosen: &Chosen, option: &str) -> Result<Image> {
    let Code::Source(file, text) = def.code else {
        return Err(Error::runtime("it is no source"));
    };
    let nvrtc = Nvrtc::get()?;
    let expression = def.expression(chosen);
    let mut options = vec![];
    if !def.options.iter().any(|own| own.starts_with("--gpu-architecture") || own.starts_with("-arch")) {
        options.push(option.to_owned());
    }
    options.extend(def.options.iter().map(|option| (*option).to_owned()));
    options.extend(def.defined(chosen));
    let headers = [def.headers, &[HEADER]].concat();
    let program = Program { file, text, headers: &headers, expression: &expression, options: &options };
    nvrtc.compile(&program).map_err(|log| {
        let (major, minor) = nvrtc.version;
        let arch = options.first().map(|option| option.trim_start_matches("--gpu-architecture=")).unwrap_or_default();
        Error::runtime(format!("NVRTC {major}.{minor} does not compile it for {arch}:\n{log}"))
    })
}

/// `sm_90` if NVRTC knows the card's architecture; else PTX of the newest before it, which the driver translates.
pub(super) fn arch_option(arch: i32, known: &[i32]) -> Result<String> {
    if known.contains(&arch) {
        return Ok(format!("--gpu-architecture=sm_{arch}"));
    }
    match known.iter().rev().find(|known| **known < arch) {
        Some(older) => Ok(format!("--gpu-architecture=compute_{older}")),
        None => Err(Error::runtime(format!(
            "this NVRTC compiles for sm_{} and newer, the card is sm_{arch}",
            known.first().unwrap_or(&0)
        ))),
    }
}

/// What an image depends on, as the file for it.
fn cache_file(def: &KernelDef, chosen: &Chosen, arch: i32) -> Result<Option<std::path::PathBuf>> {
    let Code::Source(file, text) = def.code else { return Ok(None) };
    let (nvrtc, arch, expression) = (Nvrtc::identity()?, arch.to_string(), def.expression(chosen));
    let defined = def.defined(chosen).join("\n");
    let mut parts = vec![
        env!("CARGO_PKG_VERSION").as_bytes(),
        nvrtc.as_bytes(),
        arch.as_bytes(),
        file.as_bytes(),
        text.as_bytes(),
        expression.as_bytes(),
        defined.as_bytes(),
    ];
    parts.extend(def.options.iter().map(|option| option.as_bytes()));
    for (name, text) in def.headers.iter().chain(&[HEADER]) {
        parts.extend([name.as_bytes(), text.as_bytes()]);
    }
    Ok(disk::file_of(&parts))
}

fn function(def: &KernelDef, chosen: &Chosen, card: &Card) -> Result<CUfunction> {
    if let Code::Image(_, bytes) = def.code {
        // The driver reads PTX up to a NUL.
        let terminated = [bytes, &[0]].concat();
        return load(&terminated, def.name);
    }
    let file = cache_file(def, chosen, card.arch)?;
    // One that the driver does not take is compiled again.
    if let Some(image) = file.as_deref().and_then(disk::read)
        && let Ok(function) = load(&image.bytes, &image.symbol)
    {
        return Ok(function);
    }
    let image = compile(def, chosen, &arch_option(card.arch, &Nvrtc::get()?.archs)?)?;
    let function = load(&image.bytes, &image.symbol)?;
    if let Some(file) = file {
        disk::write(&file, &image);
    }
    Ok(function)
}

/// Loads an image into the current context and finds the function in it. The module stays for ever.
fn load(image: &[u8], symbol: &str) -> Result<CUfunction> {
    const LOG: usize = 4096;
    let mut log = vec![0_u8; LOG];
    let (mut module, mut function): (CUmodule, CUfunction) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), LOG as *mut c_void];
    // SAFETY: a whole image; two options with their values, and room for as long a log as said.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    driver::require(code, "the driver does not load it").map_err(|error| with_log(&error, &log))?;
    let name = CString::new(symbol).map_err(|_| Error::value("the kernel's name has a NUL in it"))?;
    // SAFETY: a loaded module and a C string.
    let code = unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) };
    driver::require(code, &format!("there is no function `{symbol}` in it"))?;
    Ok(function)
}

fn with_log(error: &Error, log: &[u8]) -> Error {
    let log = String::from_utf8_lossy(log.split(|byte| *byte == 0).next().unwrap_or_default());
    let text = error.message();
    Error::new(error.kind(), if log.trim().is_empty() { text.into() } else { format!("{text}:\n{}", log.trim()) })
}

/// The compiled kernel has the declaration's parameters: as many, of the same sizes.
fn check_parameters(def: &KernelDef, driver: &Driver, function: CUfunction) -> Result<()> {
    // Older drivers do not tell.
    if driver.version < 12040 {
        return Ok(());
    }
    let mut compiled = Vec::new();
    let (mut offset, mut size) = (0, 0);
    // SAFETY: a loaded function; writes two numbers. After the last parameter it says INVALID_VALUE.
    while unsafe { sys::cuFuncGetParamInfo(function, compiled.len(), &mut offset, &mut size) } == CUresult::CUDA_SUCCESS
    {
        compiled.push(size);
    }
    matches(def, &compiled)
}

/// The same for sizes that are known.
pub(super) fn matches(def: &KernelDef, compiled: &[usize]) -> Result<()> {
    let (expected, found) = (def.parameters.len(), compiled.len());
    if expected != found {
        return Err(Error::type_error(format!("it is declared with {expected} parameters and compiled with {found}")));
    }
    for ((name, expected), found) in def.parameters.iter().zip(compiled) {
        if expected != found {
            return Err(Error::type_error(format!(
                "parameter `{name}` is declared with {expected} bytes and compiled with {found}"
            )));
        }
    }
    Ok(())
}

/// Threads in a block, and dynamic shared memory, which is raised to what the card can give.
fn limits(card: &Card, function: CUfunction) -> Result<(u64, u32)> {
    let ask = |attribute| {
        let mut value = 0;
        // SAFETY: a loaded function; writes a number.
        driver::require(unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) }, "a kernel's attribute")?;
        Ok::<i32, Error>(value)
    };
    let threads = ask(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
    let fixed = ask(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
    let shared = (card.shared - fixed).max(0);
    // SAFETY: a loaded function.
    let raised = unsafe {
        sys::cuFuncSetAttribute(function, Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
    };
    driver::require(raised, "a kernel's shared memory")?;
    Ok((threads as u64, shared as u32))
}
