//! Registration with torch, in an order that can be undone.

use super::derivatives;
use super::foreign;
use super::gather::{COMPOSITE, ClassEntry, Entries, FAKE, OpEntry, full_name};
use super::schema_text;
use super::state;
use crate::error::{Error, OrTorch, Result};
use crate::hidden::{Role, hidden_name};
use crate::op::KernelContext;
use crate::registration::{ClassDef, FakeDef, MethodDef, MethodKind, OpDef};
use cxx::UniquePtr;
use std::borrow::Cow;
use torchop_sys::ffi;

/// What has been registered. Dropped, it takes back what torch lets it.
#[derive(Default)]
pub(super) struct Registered {
    namespaces: Vec<UniquePtr<ffi::Namespace>>,
    classes: Vec<UniquePtr<ffi::Class>>,
}

impl Registered {
    /// Adds what cannot be taken back, and leaves everything registered for the life of the process.
    pub(super) fn keep(mut self) -> Result<()> {
        for class in &mut self.classes {
            ffi::class_finish(class.pin_mut()).or_torch()?;
        }
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        for class in &mut self.classes {
            if let Err(lost) = ffi::class_strip(class.pin_mut()) {
                crate::tell::tell(Error::from_torch(&lost));
            }
        }
    }
}

/// Registers everything, or nothing. `library` is the path of this library.
pub(super) fn register(entries: &Entries, library: &str) -> Result<Registered> {
    check_free(entries)?;
    let mut registered = Registered::default();
    // Types first: schemas of operators and methods name them.
    for entry in &entries.classes {
        let class = entry.class;
        let doc = format!("{}\n\nDefined at {}, in {library}", class.doc, class.location);
        registered.classes.push(ffi::class_new(class.name, doc.trim_start()).or_torch()?);
    }
    for entry in &entries.ops {
        registered.namespaces.push(register_op(entry, library)?);
    }
    for (entry, class) in entries.classes.iter().zip(&mut registered.classes) {
        register_class(entry, class)?;
        if let Some(namespace) = register_fakes(entry, library)? {
            registered.namespaces.push(namespace);
        }
    }
    Ok(registered)
}

/// Names that are taken already, by whom. Torch would end the process for some of these.
fn check_free(entries: &Entries) -> Result<()> {
    let mut problems = vec![];
    for entry in entries.ops.iter().filter(|entry| entry.op.foreign) {
        problems.extend(foreign::problems(entry)?);
    }
    if !problems.is_empty() {
        return Err(Error::runtime(problems.join("; ")));
    }
    for OpEntry { op, kernels, .. } in entries.ops.iter().filter(|entry| !entry.op.foreign) {
        let origin = ffi::operator_origin(op.name, op.overload).or_torch()?;
        if !origin.to_string_lossy().is_empty() {
            problems.push(format!(
                "operator `{}` ({}) exists already ({})",
                full_name(op),
                op.location,
                origin.to_string_lossy()
            ));
            continue;
        }
        for kernel in kernels {
            if ffi::operator_has_kernel(op.name, op.overload, kernel.key).or_torch()? {
                problems.push(format!(
                    "operator `{}` has a {} kernel from another library already",
                    full_name(op),
                    kernel.key
                ));
            }
        }
    }
    for ClassEntry { class, .. } in &entries.classes {
        let origin = ffi::class_origin(class.name).or_torch()?;
        let origin = origin.to_string_lossy();
        if let Some(last) = origin.lines().last() {
            problems.push(format!("class `{}` exists already ({last})", class.name));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    problems.push(
        "load each library once, from one path; rename what differs; to add kernels to an operator of another library, write `foreign` on the definition".into(),
    );
    Err(Error::runtime(problems.join("; ")))
}

fn without_namespace(name: &str) -> &str {
    name.split_once("::").map_or(name, |(_, rest)| rest)
}

fn namespace_of(name: &str) -> &str {
    name.split_once("::").map_or(name, |(namespace, _)| namespace)
}

fn register_op(entry: &OpEntry, library: &str) -> Result<UniquePtr<ffi::Namespace>> {
    let op = entry.op;
    let place = format!("{library}: {}", op.location.file);
    let mut namespace = ffi::namespace_new(namespace_of(op.name), &place, op.location.line).or_torch()?;
    let open_fake = entry.open_fake();
    let mut tags = op.tags.to_vec();
    if open_fake.is_some_and(|fake| fake.dynamic > 0) && !tags.contains(&DYNAMIC_TAG) {
        tags.push(DYNAMIC_TAG);
    }
    if !op.foreign {
        ffi::namespace_define(namespace.pin_mut(), &schema_text::of_op(op), &tags).or_torch()?;
    }
    let name: &'static str = match full_name(op) {
        Cow::Borrowed(name) => name,
        Cow::Owned(name) => name.leak(),
    };
    let local = without_namespace(name);
    let (arguments, results) = (op.arguments.len() as u32, u32::from(op.returns));
    for kernel in &entry.kernels {
        let is_fake = kernel.key == FAKE;
        let context = KernelContext {
            call: kernel.call,
            name: if is_fake { format!("{name} (fake)").leak() } else { name },
            arguments: op.arguments.into(),
            hidden: 0,
        };
        let context = context.leak();
        let call = KernelContext::FUNCTION;
        let hidden = (is_fake && schema_text::takes_objects(op)).then(|| hidden_fake_name(op));
        if let Some(hidden) = &hidden {
            let qualified = format!("{}::{hidden}", namespace_of(op.name));
            let schema = schema_text::renamed(op, &qualified);
            ffi::namespace_define(namespace.pin_mut(), &schema, &["pt2_compliant_tag"]).or_torch()?;
        }
        let ns = namespace.pin_mut();
        let local = hidden.as_deref().unwrap_or(local);
        // SAFETY: the function and its context live for ever and belong together.
        unsafe {
            if is_fake && open_fake.is_some() {
                let (hidden, anchor) = (hidden_name_of(op, Role::OpenFake), op.tensor_arguments.is_empty());
                let dynamic = u32::from(kernel.dynamic);
                ffi::namespace_open_fake(ns, name, &hidden, dynamic, anchor, call, context, results, name)
            } else if is_fake || kernel.key == COMPOSITE {
                ffi::namespace_open_kernel(ns, local, kernel.key, call, context, arguments, results, name)
            } else {
                let (tensors, written) = (op.tensor_arguments, op.written_arguments);
                ffi::namespace_kernel(ns, local, kernel.key, call, context, arguments, results, name, tensors, written)
            }
        }
        .or_torch()?;
    }
    if !entry.is_composite() {
        if !op.foreign && !op.written_arguments.is_empty() {
            let needs_fake = op.returns == 0 && entry.fake().is_none();
            ffi::namespace_written(namespace.pin_mut(), local, arguments as u16, op.written_arguments, needs_fake)
                .or_torch()?;
        }
        derivatives::register(&mut namespace, entry, name, local)?;
    }
    Ok(namespace)
}

/// The hidden operator with the fake of an operator that takes objects: torch calls it from Python, with an object that holds
/// fakes where it has a stand-in.
pub(super) fn hidden_fake_name(op: &OpDef) -> String {
    hidden_name_of(op, Role::Fake)
}

/// The name, without namespace, of the hidden operator that plays a role for `op`.
pub(super) fn hidden_name_of(op: &OpDef, role: Role) -> String {
    hidden_name(role, without_namespace(op.name), op.overload)
}

/// Torch's tag for operators whose results have sizes that depend on data.
const DYNAMIC_TAG: &str = "dynamic_output_shape";

fn register_class(entry: &ClassEntry, class: &mut UniquePtr<ffi::Class>) -> Result<()> {
    let def = entry.class;
    for method in &entry.methods {
        let (name, property) = match method.kind {
            MethodKind::Init => ("__init__".into(), ""),
            MethodKind::Method | MethodKind::Static => (method.name.to_owned(), ""),
            MethodKind::Getter => (getter_name(method.name), method.name),
            MethodKind::Setter => (setter_name(method.name), method.name),
        };
        let this = (method.kind != MethodKind::Static).then_some("self");
        let results = if method.kind == MethodKind::Init { 0 } else { method.returns.len() as u32 };
        let schema = schema_text::of_method(def, &name, method);
        let name = format!("{}.{}", def.name, method.name).leak();
        let context = KernelContext {
            call: method.call,
            name,
            arguments: this.into_iter().chain(method.arguments.iter().map(|argument| argument.name)).collect(),
            hidden: this.iter().len(),
        };
        // SAFETY: the function and its context live for ever and belong together.
        unsafe {
            ffi::class_method(
                class.pin_mut(),
                &schema,
                KernelContext::FUNCTION,
                context.leak(),
                (method.arguments.len() + this.iter().len()) as u32,
                results,
                name,
                method.doc,
                method.kind.torch(),
                property,
            )
        }
        .or_torch()?;
    }
    let has = |name: &str| entry.methods.iter().any(|method| method.kind == MethodKind::Method && method.name == name);
    if has("__eq__") && !has("__ne__") {
        ffi::class_negation(class.pin_mut(), "__eq__", "__ne__").or_torch()?;
    }
    state::register(entry, class)
}

/// Torch names a property's method apart from the property.
pub(super) fn getter_name(property: &str) -> String {
    format!("{property}_getter")
}

fn setter_name(property: &str) -> String {
    format!("{property}_setter")
}

/// The hidden operator behind a method's fake: takes the object's fields and the method's arguments.
pub(super) fn fake_op_name(class: &ClassDef, method: &str) -> String {
    hidden_name(Role::MethodFake, without_namespace(class.name), method)
}

/// Torch calls fakes of methods from Python. A Python class that we give it calls these operators, whose Meta kernels are the
/// Rust functions.
fn register_fakes(entry: &ClassEntry, library: &str) -> Result<Option<UniquePtr<ffi::Namespace>>> {
    let class = entry.class;
    let Some(state) = entry.flatten() else { return Ok(None) };
    if entry.fakes.is_empty() {
        return Ok(None);
    }
    let place = format!("{library}: {}", class.location.file);
    let mut namespace = ffi::namespace_new(namespace_of(class.name), &place, class.location.line).or_torch()?;
    for method in &entry.methods {
        let Some(fake) = entry.fake_of(method.name) else { continue };
        register_fake(class, state.fields, method, fake, &mut namespace)?;
    }
    Ok(Some(namespace))
}

fn register_fake(
    class: &ClassDef,
    fields: &[crate::registration::FieldDef],
    method: &MethodDef,
    fake: &FakeDef,
    namespace: &mut UniquePtr<ffi::Namespace>,
) -> Result<()> {
    let op = fake_op_name(class, method.name);
    let qualified: &'static str = format!("{}::{op}", namespace_of(class.name)).leak();
    let schema = schema_text::of_fake(qualified, fields, method, fake.changes);
    ffi::namespace_define(namespace.pin_mut(), &schema, &["pt2_compliant_tag"]).or_torch()?;
    let before = fake.changes.then_some("_device");
    let names = before.into_iter().chain(fields.iter().map(|field| field.name));
    let names = names.chain(method.arguments.iter().map(|argument| argument.name));
    let (hidden, state) = (before.iter().len() + fields.len(), if fake.changes { fields.len() } else { 0 });
    let context = KernelContext {
        call: fake.call,
        name: format!("{}.{} (fake)", class.name, method.name).leak(),
        arguments: names.collect(),
        hidden,
    };
    // SAFETY: the function and its context live for ever and belong together.
    unsafe {
        ffi::namespace_open_kernel(
            namespace.pin_mut(),
            &op,
            "Meta",
            KernelContext::FUNCTION,
            context.leak(),
            (hidden + method.arguments.len()) as u32,
            (method.returns.len() + state) as u32,
            qualified,
        )
    }
    .or_torch()
}
