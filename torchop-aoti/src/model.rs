//! A package that is loaded.

use crate::bridge::ffi;
use crate::compiled;
use crate::declared;
use crate::input::{Input, Inputs};
use crate::options::Options;
use cxx::UniquePtr;
use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use torchop_runtime::{DeviceType, Error, Result, Tensor, TorchRef, host};
use torchop_sys::TensorHandle;

/// A model that `torch._inductor.aoti_compile_and_package` made, loaded.
///
/// May be used from several threads: [`run`](Model::run) goes on at the same time in as many as it has
/// [runners](Options::runners).
pub struct Model {
    package: Loaded,
    inputs: Inputs,
    path: PathBuf,
    metadata: BTreeMap<String, String>,
    call_spec: [String; 2],
    single_threaded: bool,
    /// Read by runs, written by what changes the weights; written by all of a single-threaded model.
    turn: RwLock<()>,
}

struct Loaded(UniquePtr<ffi::Package>);

// SAFETY: torch's loader belongs to no thread.
unsafe impl Send for Loaded {}
// SAFETY: torch hands runners out under a lock of its own; what has none (changes of weights, single-threaded runs) is under `turn`.
unsafe impl Sync for Loaded {}

impl Loaded {
    fn get(&self) -> Result<&ffi::Package> {
        self.0.as_ref().ok_or_else(|| Error::runtime("torch gave no package"))
    }
}

impl Model {
    /// Loads the model called `model` from a package. [`Options`] say more.
    ///
    /// `inputs` are the tensors that it takes, in order (see [`Input`]): those of `forward`'s arguments, then of its keyword arguments, as
    /// they were passed to `torch.export.export`; numbers among them are part of the compiled code. Operators that it calls have
    /// to be there: see [`load_library`](crate::load_library).
    ///
    /// # Safety
    /// The package is compiled code, which reads its inputs as they were when the model was exported, without a look at what they
    /// are now: the caller promises that it is right for every input of the declared dtypes, sizes and orders. Sizes that were
    /// the same dimension at export have the same name here; sizes that were not dynamic are numbers; bounds of a dynamic size are
    /// given. [`run`](Model::run) checks what it is given against this.
    ///
    /// # Errors
    /// Torch's, with the path: no such file, no package, an operator or class that is not there; a declaration that cannot be
    /// read, or that is not the package's: another number of inputs, another dtype or size.
    pub unsafe fn load(path: impl AsRef<Path>, inputs: &[&str]) -> Result<Model> {
        // SAFETY: the caller's promise.
        unsafe { Options::new().load(path, inputs) }
    }

    /// # Safety
    /// As for [`Model::load`].
    pub(crate) unsafe fn open(options: &Options, path: &Path, inputs: &[&str]) -> Result<Model> {
        let here = |error| host::with_prefix(error, &format!("`{}`: ", path.display()));
        // Torch says of a missing file that its archive cannot be read.
        std::fs::metadata(path).map_err(|error| here(error.into()))?;
        // SAFETY: the caller's promise.
        unsafe { Self::open_file(options, path, inputs) }.map_err(here)
    }

    /// # Safety
    /// As for [`Model::load`].
    unsafe fn open_file(options: &Options, path: &Path, inputs: &[&str]) -> Result<Model> {
        let package = {
            // Torch reads the files of a package into a variable that all loads share.
            static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
            let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
            let device = options.device.map_or(Ok(-1), i8::try_from)?;
            let bytes = path.as_os_str().as_bytes();
            Loaded(host::or_torch(ffi::package_load(
                bytes,
                &options.name,
                options.single_threaded,
                options.runners,
                device,
            ))?)
        };
        let (mut entries, mut specs) = (Vec::new(), Vec::new());
        host::or_torch(ffi::package_metadata(package.get()?, &mut entries))?;
        host::or_torch(ffi::package_call_spec(package.get()?, &mut specs))?;
        let metadata: BTreeMap<_, _> = entries.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        let device = match metadata.get("AOTI_DEVICE_KEY").map(String::as_str) {
            Some("cpu") | None => DeviceType::Cpu,
            Some("cuda") => DeviceType::Cuda,
            Some(other) => {
                return Err(Error::not_implemented(format!("a package for `{other}`; expected cpu or cuda")));
            }
        };
        let inputs = declared::read(inputs, device)?;
        let takes = ffi::package_inputs(package.get()?);
        if takes != inputs.list.len() {
            return Err(Error::value(format!(
                "the package takes {takes} tensors, and {} are declared",
                inputs.list.len()
            )));
        }
        let library = PathBuf::from(host::or_torch(ffi::package_library(package.get()?))?);
        if let Ok(text) = std::fs::read_to_string(library.with_extension("cpp")) {
            compiled::compare(&text, &inputs)?;
        }
        let mut specs = specs.into_iter();
        Ok(Model {
            inputs,
            path: path.to_owned(),
            metadata,
            call_spec: [specs.next().unwrap_or_default(), specs.next().unwrap_or_default()],
            single_threaded: options.single_threaded,
            turn: RwLock::new(()),
            package,
        })
    }

    /// Runs it. The results are in the order of the model's, flat.
    ///
    /// A model may write to its inputs, so that nobody may have a view of their memory meanwhile.
    ///
    /// # Errors
    /// `TypeError` or `ValueError` that names the input if one is not as declared; a view of an input's memory; a result that is `None`; what
    /// torch or an operator raises. Torch 2.11 keeps the text of an operator's error to itself (it is on stderr): a result is missing then.
    #[track_caller]
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        self.inputs.check(inputs)?;
        for (index, tensor) in inputs.iter().enumerate() {
            if let Some(borrower) = host::borrower(tensor, true)? {
                let name = &self.inputs.list[index].name;
                return Err(Error::runtime(format!(
                    "input `{name}` is in use: it is borrowed for {borrower}, and a model may write to its inputs; let the view go out of scope first (`drop(view)`)"
                )));
            }
        }
        let package = self.package.get()?;
        let handles: *const *const TensorHandle = inputs.as_ptr().cast();
        let mut results: Vec<Tensor> = Vec::with_capacity(ffi::package_outputs(package));
        let room: *mut TensorHandle = results.as_mut_ptr().cast();
        // SAFETY: a `&Tensor` is the address of its handle, and a `Tensor` is one; the inputs are as declared, which is what the
        // caller of `load` promised to be enough; there is room for all outputs.
        let run = || host::or_torch(unsafe { ffi::package_run(package, handles, inputs.len(), room) });
        if self.single_threaded {
            let _alone = self.turn.write().unwrap_or_else(PoisonError::into_inner);
            run()?;
        } else {
            let _beside = self.turn.read().unwrap_or_else(PoisonError::into_inner);
            run()?;
        }
        // SAFETY: without an error all outputs were made.
        unsafe { results.set_len(ffi::package_outputs(package)) };
        Ok(results)
    }

    /// Runs it with inputs in any order, by the names that they were declared with.
    ///
    /// # Errors
    /// As for [`run`](Model::run); a name that is missing, unknown or given twice.
    #[track_caller]
    pub fn run_named(&self, inputs: &[(&str, &Tensor)]) -> Result<Vec<Tensor>> {
        let mut sorted: Vec<Option<&Tensor>> = vec![None; self.inputs.list.len()];
        for &(name, tensor) in inputs {
            let position = self.inputs.position(name).ok_or_else(|| {
                let names: Vec<String> = self.inputs.list.iter().map(|input| format!("`{}`", input.name)).collect();
                Error::type_error(format!("there is no input `{name}`; expected {}", names.join(", ")))
            })?;
            if sorted[position].replace(tensor).is_some() {
                return Err(Error::type_error(format!("input `{name}` is given twice")));
            }
        }
        let named = sorted.iter().zip(&self.inputs.list);
        let sorted: Vec<&Tensor> = named
            .map(|(tensor, input)| {
                tensor.ok_or_else(|| Error::type_error(format!("input `{}` is not given", input.name)))
            })
            .collect::<Result<_>>()?;
        self.run(&sorted)
    }

    /// The inputs as they were declared.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs.list
    }

    /// How many results it has.
    pub fn outputs(&self) -> Result<usize> {
        Ok(ffi::package_outputs(self.package.get()?))
    }

    /// What the package says of itself: torch's own entries, and those of `aot_inductor.metadata`.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// How arguments and results were nested in Python: torch's `TreeSpec`s, as JSON. Names are there for keyword arguments and
    /// dictionaries alone.
    pub fn call_spec(&self) -> (&str, &str) {
        (&self.call_spec[0], &self.call_spec[1])
    }

    /// The objects in the package that are of the class `T`, with the names that torch gave them (`_torchbind_obj0`, …), sorted. They are
    /// the model's own: what is changed in one shows in the runs that follow. The class is one that the program is linked with.
    ///
    /// # Errors
    /// `NotImplementedError` where torch keeps them to itself, as 2.11 does.
    pub fn objects<T: host::Class>(&self) -> Result<Vec<(String, TorchRef<T>)>> {
        let (package, mut names, mut objects) = (self.package.get()?, Vec::new(), Vec::new());
        host::or_torch(ffi::package_objects(package, &mut names))?;
        names.sort();
        for name in names {
            // SAFETY: the address of a live value, which holds `None`.
            let object = host::object(|to| host::or_torch(unsafe { ffi::package_object(package, &name, to) }))?;
            objects.extend(object.map(|object| (name, object)));
        }
        Ok(objects)
    }

    /// The names of its weights and buffers, as in `state_dict()`; without those that were compiled into the code.
    pub fn constants(&self) -> Result<Vec<String>> {
        let _beside = self.turn.write().unwrap_or_else(PoisonError::into_inner);
        let mut names = Vec::new();
        host::or_torch(ffi::package_constants(self.package.get()?, &mut names))?;
        names.sort();
        Ok(names)
    }

    /// Copies new values into weights and buffers, by name; the others stay. Waits for runs that are under way, and runs wait for it:
    /// each sees all of the new values or none.
    ///
    /// # Errors
    /// `ValueError` or `TypeError` that names the constant if there is none of that name, or it has other sizes or another dtype. Nothing is
    /// changed then.
    pub fn update_constants(&self, values: &[(&str, &Tensor)]) -> Result<()> {
        let (names, tensors): (Vec<&str>, Vec<&Tensor>) = values.iter().copied().unzip();
        for (name, tensor) in values {
            if let Some(borrower) = host::borrower(tensor, false)? {
                return Err(Error::runtime(format!(
                    "the new value of `{name}` is in use: it is borrowed for {borrower}; let the view go out of scope first (`drop(view)`)"
                )));
            }
        }
        let _alone = self.turn.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a `&Tensor` is the address of its handle, and there is one for each name.
        host::or_torch(unsafe { ffi::package_update(self.package.get()?, &names, tensors.as_ptr().cast()) })
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("path", &self.path).field("inputs", &self.inputs.list).finish_non_exhaustive()
    }
}
