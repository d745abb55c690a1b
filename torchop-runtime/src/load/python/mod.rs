//! What PyTorch only accepts from Python: fake classes. Does nothing in a process without Python.

mod again;
mod interpreter;

use super::derivatives::traced_backward_names;
use super::gather::{ClassEntry, Entries, OpEntry, full_name};
use super::register::{fake_op_name, getter_name, hidden_fake_name};
use super::schema_text::takes_objects;
use crate::error::{Error, ErrorKind, Result};
use crate::fake_check::open_fake_of;
use crate::registration::{Constant, MethodDef, MethodFake, MethodKind, OpDef};
use interpreter::{Interpreter, State, Work};
use std::ffi::CStr;
use std::fmt::Write;
use std::sync::OnceLock;

/// Run at load, each if the library has something for it; the first always.
const LAZILY: &str = include_str!("lazily.py");
const CLASSES: &str = include_str!("classes.py");
const OPERATORS: &str = include_str!("operators.py");
const SHARDING: &str = include_str!("sharding.py");

/// Compiled when PyTorch first traces, by `lazily.py`.
const TRACED: &str = concat!(
    include_str!("traced/effects.py"),
    include_str!("traced/object_gradients.py"),
    include_str!("traced/sharding_rules.py"),
    include_str!("traced/fake_classes.py")
);

/// The classes of this library as the Python side takes them.
#[derive(Debug)]
pub(super) struct Classes(String);

impl Classes {
    /// A Python literal. All names are identifiers, so quotes are enough.
    pub(super) fn new(entries: &Entries) -> Self {
        let mut text = String::from("[");
        for entry in &entries.classes {
            let class = entry.class;
            let fields = entry.flatten().map(|state| state.fields.iter().map(|field| field.name).collect::<Vec<_>>());
            let _ = write!(
                text,
                "({:?}, {}, {{",
                class.name,
                fields.map_or_else(|| "None".into(), |fields| format!("{fields:?}"))
            );
            for method in &entry.methods {
                let (name, kind) = match method.kind {
                    MethodKind::Init | MethodKind::Setter | MethodKind::Static => continue,
                    MethodKind::Method => (method.name.to_owned(), "method"),
                    MethodKind::Getter => (getter_name(method.name), "getter"),
                };
                let fake = match (entry.fake_of(method.name), method.fake) {
                    (Some(_), _) => format!("{:?}", fake_op_name(class, method.name)),
                    (None, MethodFake::Like(index)) => {
                        format!("({index}, {:?})", method.arguments[usize::from(index)].name)
                    }
                    (None, MethodFake::Composite) => "True".into(),
                    (None, MethodFake::Unsaid) if gives_an_entry(entry, method) => "False".into(),
                    (None, MethodFake::Unsaid) => "None".into(),
                };
                let results = method.returns.len();
                let _ = write!(text, "{name:?}: ({kind:?}, {:?}, {fake}, {results}), ", method.name);
            }
            if class.to {
                text.push_str("\"to\": (\"to\", \"to\", None, 1), ");
            }
            let _ = write!(text, "}}, {}), ", effects(entry));
        }
        text.push_str("], [");
        for entry in &entries.ops {
            let has_fake = entry.kernels.iter().any(|kernel| kernel.key == "Meta");
            if has_fake && takes_objects(entry.op) {
                let (name, hidden) = (full_name(entry.op), hidden_fake_name(entry.op));
                let (effect, constant) = (literal(entry.has_effect()), literal(is_constant(entry.op)));
                let _ = write!(text, "({name:?}, {hidden:?}, {}, {effect}, {constant}), ", gradient(entry));
            }
        }
        text.push(']');
        Classes(text)
    }

    fn is_empty(&self) -> bool {
        self.0 == "[], []"
    }
}

/// As Python writes it.
fn literal(is: bool) -> &'static str {
    if is { "True" } else { "False" }
}

/// Whether no result has a gradient that could be lost.
fn is_constant(op: &OpDef) -> bool {
    match op.constant_results {
        Constant::All => true,
        Constant::Some(results) => results.len() == usize::from(op.returns),
    }
}

/// What Python needs to record the gradient of an operator that takes objects: the two hidden operators, what the backward takes, the
/// arguments that it gives gradients for, and the results without one. `None` where there is no such gradient.
fn gradient(entry: &OpEntry) -> String {
    let Some(backward) = entry.backward else { return "None".into() };
    let needs: Vec<(u8, u16, u8)> =
        backward.needs.iter().map(|need| (need.kind as u8, need.index, u8::from(need.optional))).collect();
    let constant: Vec<u16> = match entry.op.constant_results {
        Constant::All => (0..entry.op.returns).collect(),
        Constant::Some(results) => results.into(),
    };
    let [held, hidden] = traced_backward_names(entry.op);
    format!("({held:?}, {hidden:?}, {needs:?}, {:?}, {constant:?})", backward.gradients)
}

/// A method without arguments that is called like an entry of the state and gives a value of its type, no tensor. While torch
/// traces it runs on an object that is made of the traced state.
fn gives_an_entry(entry: &ClassEntry, method: &MethodDef) -> bool {
    let Some(field) = entry.flatten().and_then(|state| state.fields.iter().find(|field| field.name == method.name))
    else {
        return false;
    };
    let (has, gives) = (field.ty.to_string(), method.returns.first().map(ToString::to_string));
    method.arguments.is_empty() && method.returns.len() == 1 && gives == Some(has.clone()) && !has.contains("Tensor")
}

/// The fakes of operators that Python calls, as it takes them.
#[derive(Debug)]
pub(super) struct Fakes(String);

impl Fakes {
    /// `(name, hidden operator, number of sizes that depend on data, whether the hidden operator is told the device, whether each
    /// call counts)`. The hidden operator is `None` for a fake with nothing to say, and `False` if there is no fake.
    pub(super) fn new(entries: &Entries) -> Self {
        let mut text = String::from("[");
        for entry in &entries.ops {
            let (op, fake, effect) = (entry.op, entry.open_fake(), entry.has_effect());
            if fake.is_none() && !effect {
                continue;
            }
            let name = full_name(op);
            let hidden = match fake {
                Some(_) => format!("{:?}", open_fake_of(&name)),
                None if op.returns == 0 && !takes_objects(op) => "None".into(),
                None => "False".into(),
            };
            let dynamic = fake.map_or(0, |fake| fake.dynamic);
            let anchored = literal(op.tensor_arguments.is_empty());
            let _ = write!(text, "({name:?}, {hidden}, {dynamic}, {anchored}, {}), ", literal(effect));
        }
        text.push(']');
        Fakes(text)
    }

    fn is_empty(&self) -> bool {
        self.0 == "[]"
    }
}

/// The operators that say how sharded tensors go through them, as Python takes them.
#[derive(Debug)]
pub(super) struct Sharded(String);

impl Sharded {
    pub(super) fn new(entries: &Entries) -> Self {
        let names = entries.ops.iter().filter(|entry| entry.op.is_pointwise).map(|entry| full_name(entry.op));
        Sharded(format!("{:?}", names.collect::<Vec<_>>()))
    }

    fn is_empty(&self) -> bool {
        self.0 == "[]"
    }
}

/// Registers fake classes if a Python interpreter lives in the process, then finishes the load: once the loader is done if this
/// thread holds Python's lock, and the lock is not waited for if it does not, since another thread may hold it while it waits for
/// the loader that called us. An error takes everything back.
pub(super) fn register(
    classes: &Classes,
    fakes: &Fakes,
    sharded: &Sharded,
    finish: impl FnOnce() -> Result<()> + 'static,
) -> Result<()> {
    if classes.is_empty() && fakes.is_empty() && sharded.is_empty() {
        return finish();
    }
    match Interpreter::find() {
        None => finish(),
        Some((python, State::HoldsLock)) => {
            let code = code(classes, fakes, sharded);
            let work: Work = Box::new(move |python| {
                python.run(&code, FILE, TEXTS)?;
                finish()
            });
            python.run_after_loading(work).or_else(|work| work(&python))
        }
        Some((python, State::WithoutLock)) => {
            static LATER: OnceLock<String> = OnceLock::new();
            let _ = LATER.set(code(classes, fakes, sharded));
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
        let changes = literal(method.changes);
        format!("{:?}: ({changes}, {results})", method.name)
    });
    format!("{{{}}}", lines.collect::<Vec<_>>().join(", "))
}

const FILE: &str = "<torchop fake classes>";

/// What Python finds under a name of its own.
const TEXTS: &[(&CStr, &str)] = &[(c"TRACED", TRACED)];

fn code(classes: &Classes, fakes: &Fakes, sharded: &Sharded) -> String {
    // Those that can be taken back come first.
    let parts = [
        (OPERATORS, format!("taken.append(register_operators({}))", fakes.0), fakes.is_empty()),
        (SHARDING, format!("taken.append(register_sharding_rules({}))", sharded.0), sharded.is_empty()),
        (CLASSES, format!("register({})", classes.0), classes.is_empty()),
    ];
    let (mut text, mut calls) = (LAZILY.to_owned(), String::new());
    for (functions, call, _) in parts.into_iter().filter(|(.., is_empty)| !is_empty) {
        text.push_str(functions);
        let _ = write!(calls, "\n    {call}");
    }
    let _ = write!(
        text,
        "\n\ntaken = []\ntry:{calls}\nexcept BaseException:\n    for take_back in taken:\n        take_back()\n    raise\n"
    );
    text
}

/// Sets a Python exception for whoever called the loader, and has the file at `path` loaded by `load` when it is opened again. False if
/// there is no Python, or this thread may not touch it.
pub(super) fn raise(kind: ErrorKind, message: &str, path: String, load: fn() -> bool) -> bool {
    match Interpreter::find() {
        Some((python, State::HoldsLock)) => {
            again::watch(&python, path, load);
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
