//! What PyTorch only accepts from Python: fake classes. Does nothing in a process without Python.

mod interpreter;

use super::gather::{ClassEntry, Entries};
use super::register::{fake_op_name, getter_name};
use crate::error::{Error, ErrorKind, Result};
use crate::registration::MethodKind;
use interpreter::{Interpreter, State, Work};
use std::fmt::Write;
use std::sync::OnceLock;

const CODE: &str = concat!(include_str!("effects.py"), include_str!("fake_classes.py"));

/// The classes of this library as the Python side takes them.
#[derive(Debug)]
pub(super) struct Classes(String);

impl Classes {
    /// A Python literal. All names are identifiers, so quotes are enough.
    pub(super) fn new(entries: &Entries) -> Self {
        let mut text = String::from("[");
        for entry in &entries.classes {
            let class = entry.class;
            let fields: Vec<&str> = class.state.iter().flat_map(|state| state.fields).map(|field| field.name).collect();
            let _ = write!(
                text,
                "({:?}, {}, {{",
                class.name,
                if class.flatten { format!("{fields:?}") } else { "None".into() }
            );
            for method in &entry.methods {
                let (name, kind) = match method.kind {
                    MethodKind::Init | MethodKind::Setter | MethodKind::Static => continue,
                    MethodKind::Method => (method.name.to_owned(), "method"),
                    MethodKind::Getter => (getter_name(method.name), "getter"),
                };
                let fake = match entry.fake_of(method.name) {
                    Some(_) => format!("{:?}", fake_op_name(class, method.name)),
                    None => "None".into(),
                };
                let _ = write!(text, "{name:?}: ({kind:?}, {:?}, {fake}), ", method.name);
            }
            let _ = write!(text, "}}, {}), ", effects(entry));
        }
        text.push(']');
        Classes(text)
    }

    fn is_empty(&self) -> bool {
        self.0 == "[]"
    }
}

/// Registers fake classes if a Python interpreter lives in the process, then finishes the load: once the loader is done if this
/// thread holds Python's lock, and the lock is not waited for if it does not, since another thread may hold it while it waits for
/// the loader that called us. An error takes everything back.
pub(super) fn register(classes: &Classes, finish: impl FnOnce() -> Result<()> + 'static) -> Result<()> {
    if classes.is_empty() {
        return finish();
    }
    match Interpreter::find() {
        None => finish(),
        Some((python, State::HoldsLock)) => {
            let code = code(classes);
            let work: Work = Box::new(move |python| {
                python.run(&code, FILE)?;
                finish()
            });
            python.run_after_loading(work).or_else(|work| work(&python))
        }
        Some((python, State::WithoutLock)) => {
            static LATER: OnceLock<String> = OnceLock::new();
            let _ = LATER.set(code(classes));
            python.run_later(&LATER)?;
            finish()
        }
    }
}

/// From each method to whether it changes its object, and the number of its results if its fake does; `None` for a class without
/// such methods.
fn effects(entry: &ClassEntry) -> String {
    if !entry.class.changes.get() {
        return "None".into();
    }
    let methods = entry.methods.iter().filter(|method| method.kind == MethodKind::Method);
    let lines = methods.map(|method| {
        let results = match entry.fake_of(method.name) {
            Some(fake) if fake.changes => method.returns.len().to_string(),
            _ => "None".into(),
        };
        let changes = if method.changes { "True" } else { "False" };
        format!("{:?}: ({changes}, {results})", method.name)
    });
    format!("{{{}}}", lines.collect::<Vec<_>>().join(", "))
}

const FILE: &str = "<torchop fake classes>";

fn code(classes: &Classes) -> String {
    format!("{CODE}\n\nregister({})\n", classes.0)
}

/// Sets a Python exception for whoever called the loader. False if there is no Python, or this thread may not touch it.
pub(super) fn raise(kind: ErrorKind, message: &str) -> bool {
    match Interpreter::find() {
        Some((python, State::HoldsLock)) => {
            python.raise(kind, message);
            true
        }
        _ => false,
    }
}

/// A failure of Python's whose exception is set already.
fn python_failed() -> Error {
    Error::runtime("Python refused to register the fake classes")
}
