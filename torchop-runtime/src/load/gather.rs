//! The link-time entries, sorted, put together and checked against each other.

use super::schema_text::takes_objects;
use super::sharded::not_pointwise;
use crate::error::{Error, Result};
use crate::registration::{
    BackwardDef, BatchDef, ClassDef, Constant, FakeDef, JvpDef, KernelDef, Location, MethodDef, MethodKind, OpDef,
    Registration, StateDef, StateRole,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The key of composite functions.
pub(super) const COMPOSITE: &str = "CompositeImplicitAutograd";

/// The key of fakes.
pub(super) const FAKE: &str = "Meta";

/// Everything that belongs to one operator.
#[derive(Debug)]
pub(super) struct OpEntry {
    pub(super) op: &'static OpDef,
    pub(super) kernels: Vec<&'static KernelDef>,
    pub(super) backward: Option<&'static BackwardDef>,
    pub(super) jvp: Option<&'static JvpDef>,
    pub(super) batch: Option<&'static BatchDef>,
    /// The operator that it is the backward of.
    pub(super) backward_of: Option<&'static OpDef>,
}

impl OpEntry {
    fn new(op: &'static OpDef) -> Self {
        OpEntry { op, kernels: vec![], backward: None, jvp: None, batch: None, backward_of: None }
    }

    /// The kernel that is a fake.
    pub(super) fn fake(&self) -> Option<&'static KernelDef> {
        self.kernels.iter().copied().find(|kernel| kernel.key == FAKE)
    }

    /// Whether its fake is called from Python: torch gives sizes that depend on data only there, where no argument is a tensor only
    /// Python says what the device is, and the order of effects is watched there.
    pub(super) fn open_fake(&self) -> Option<&'static KernelDef> {
        let is_without_tensors = self.op.tensor_arguments.is_empty() && self.op.returns > 0;
        let is_open = |fake: &&KernelDef| fake.dynamic > 0 || is_without_tensors || self.has_effect();
        self.fake().filter(|fake| is_open(fake) && !takes_objects(self.op))
    }

    /// Whether each call counts: the author says so, or there is no other reason to call it.
    pub(super) fn has_effect(&self) -> bool {
        let gives_nothing = self.op.returns == 0 && self.op.written_arguments.is_empty();
        self.op.effectful || gives_nothing && !self.op.foreign && !self.is_composite()
    }

    /// Torch sees a composite function's parts: it has no autograd kernel of its own.
    pub(super) fn is_composite(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.key == COMPOSITE)
    }
}

/// Everything that belongs to one class.
#[derive(Debug)]
pub(super) struct ClassEntry {
    pub(super) class: &'static ClassDef,
    pub(super) methods: Vec<&'static MethodDef>,
    pub(super) fakes: Vec<&'static FakeDef>,
    pub(super) states: Vec<&'static StateRole>,
}

impl ClassEntry {
    pub(super) fn fake_of(&self, method: &str) -> Option<&'static FakeDef> {
        self.fakes.iter().copied().find(|fake| fake.method == method)
    }

    /// What tracing sees of an object.
    pub(super) fn flatten(&self) -> Option<&'static StateDef> {
        let by_function = self.states.iter().find_map(|role| match role {
            StateRole::Flatten(state) => Some(state),
            _ => None,
        });
        by_function.or(self.class.flatten.as_ref())
    }

    /// What is pickled of an object.
    pub(super) fn pickle(&self) -> Option<&'static StateDef> {
        let by_function = self.states.iter().find_map(|role| match role {
            StateRole::Pickle(state) => Some(state),
            _ => None,
        });
        by_function.or(self.class.pickle.as_ref())
    }
}

/// All of a library, in the order of names.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) ops: Vec<OpEntry>,
    pub(super) classes: Vec<ClassEntry>,
}

/// Sorts and checks. The error lists everything that is wrong.
pub(super) fn gather(registrations: impl Iterator<Item = &'static Registration>) -> Result<Entries> {
    let mut gathering = Gathering::default();
    // Definitions first: the order of the table differs between builds.
    let (definitions, roles): (Vec<_>, Vec<_>) =
        registrations.partition(|entry| matches!(entry, Registration::Op { .. } | Registration::Class(_)));
    if definitions.is_empty() && roles.is_empty() {
        return Err(Error::runtime(
            "the library has a load hook but no entries: the linker dropped the section that holds them (linkme)",
        ));
    }
    for entry in definitions.into_iter().chain(roles) {
        gathering.add(entry);
    }
    gathering.finish()
}

#[derive(Default)]
struct Gathering {
    ops: BTreeMap<(&'static str, &'static str), OpEntry>,
    classes: BTreeMap<&'static str, ClassEntry>,
    problems: Vec<String>,
}

impl Gathering {
    fn add(&mut self, entry: &'static Registration) {
        match entry {
            Registration::Op { op, kernels } => {
                if let Some(first) = self.ops.get(&(op.name, op.overload)) {
                    self.problems.push(format!(
                        "operator `{}` is defined twice: at {} and at {}",
                        full_name(op),
                        first.op.location,
                        op.location
                    ));
                    return;
                }
                self.ops.insert((op.name, op.overload), OpEntry::new(op));
                self.add_kernels(op, kernels);
            }
            Registration::Kernels { op, kernels } => self.add_kernels(op, kernels),
            Registration::Backward { op, backward } => {
                self.add_role(op, "backwards", backward.path, backward.location, |entry| {
                    let first = entry.backward.map(|first| first.location);
                    entry.backward.get_or_insert(backward);
                    first
                });
                if let Some(itself) = backward.op.and_then(|itself| self.ops.get_mut(&(itself.name, itself.overload))) {
                    itself.backward_of = Some(op);
                }
            }
            Registration::Jvp { op, jvp } => {
                self.add_role(op, "forward-mode derivatives", jvp.path, jvp.location, |entry| {
                    let first = entry.jvp.map(|first| first.location);
                    entry.jvp.get_or_insert(jvp);
                    first
                });
            }
            Registration::Batch { op, batch } => {
                self.add_role(op, "rules for vmap", batch.path, batch.location, |entry| {
                    let first = entry.batch.map(|first| first.location);
                    entry.batch.get_or_insert(batch);
                    first
                });
            }
            Registration::Class(class) => {
                if let Some(first) = self.classes.get(class.name) {
                    self.problems.push(format!(
                        "class `{}` is defined twice: at {} and at {}",
                        class.name, first.class.location, class.location
                    ));
                    return;
                }
                self.classes.insert(class.name, ClassEntry { class, methods: vec![], fakes: vec![], states: vec![] });
            }
            Registration::Methods { class, methods, fakes, states } => match self.classes.get_mut(class.name) {
                Some(entry) => {
                    if methods.iter().any(|method| method.changes) {
                        class.changes.set();
                    }
                    entry.methods.extend(methods.iter());
                    entry.fakes.extend(fakes.iter());
                    entry.states.extend(states.iter());
                }
                None => self.problems.push(format!("class `{}` has methods but no definition", class.name)),
            },
        }
    }

    /// `add` puts the role into the operator's entry and gives the place of the one that was there before.
    fn add_role(
        &mut self,
        op: &'static OpDef,
        what: &str,
        path: &str,
        location: Location,
        add: impl FnOnce(&mut OpEntry) -> Option<Location>,
    ) {
        let Some(entry) = self.ops.get_mut(&(op.name, op.overload)) else {
            return self.without_definition(op, path, location);
        };
        if let Some(first) = add(entry) {
            self.problems.push(format!("operator `{}` has two {what}: {first} and {location}", full_name(op)));
        }
    }

    fn add_kernels(&mut self, op: &'static OpDef, kernels: &'static [KernelDef]) {
        for kernel in kernels {
            let Some(entry) = self.ops.get_mut(&(op.name, op.overload)) else {
                return self.without_definition(op, kernel.path, kernel.location);
            };
            match entry.kernels.iter().find(|other| other.key == kernel.key) {
                Some(first) => self.problems.push(format!(
                    "operator `{}` has two kernels for {}: {} and {}",
                    full_name(op),
                    kernel.key,
                    first.location,
                    kernel.location
                )),
                None => entry.kernels.push(kernel),
            }
        }
    }

    fn without_definition(&mut self, op: &OpDef, role: &str, location: Location) {
        self.problems.push(format!(
            "`{role}` at {location} belongs to operator `{}`, whose definition at {} is not in this library; to add to an operator of another library, define it here too with `#[torch_op(schema = …, foreign, …)]`",
            full_name(op),
            op.location
        ));
    }

    fn finish(mut self) -> Result<Entries> {
        for entry in self.ops.values() {
            if let (true, Some(backward)) = (entry.is_composite(), entry.backward) {
                self.problems.push(format!(
                    "operator `{}` is composite, so torch differentiates its parts, and yet has a backward at {}; give it a `cpu` kernel or drop the backward",
                    full_name(entry.op),
                    backward.location
                ));
            }
        }
        for entry in self.ops.values().filter(|entry| entry.is_composite()) {
            let beside = entry.kernels.iter().find(|kernel| ![COMPOSITE, FAKE].contains(&kernel.key));
            if let Some(kernel) = beside {
                self.problems.push(format!(
                    "operator `{}` ({}) is composite, so torch differentiates its parts, and yet has a {} kernel at {}, which would lose the gradient without a word; give it `composite_explicit` and a backward, or drop the kernel",
                    full_name(entry.op),
                    entry.op.location,
                    kernel.key,
                    kernel.location
                ));
            }
            let (op, is_constant) = (entry.op, matches!(entry.op.constant_results, Constant::All));
            let of_its_parts = [
                ("a forward-mode derivative", entry.jvp.is_some()),
                ("a rule for vmap", entry.batch.is_some()),
                ("a rule for autocast", !op.autocast.is_empty()),
                ("`nondifferentiable`", is_constant),
                ("`effectful`", op.effectful),
                ("`sharding`", op.is_pointwise),
            ];
            for (what, _) in of_its_parts.into_iter().filter(|(_, has)| *has) {
                self.problems.push(format!(
                    "operator `{}` ({}) is composite, so torch sees its parts alone, and yet has {what}; give it a `cpu` kernel or drop that",
                    full_name(op),
                    op.location
                ));
            }
        }
        for entry in self.ops.values() {
            if let (Constant::All, Some(backward)) = (entry.op.constant_results, entry.backward) {
                self.problems.push(format!(
                    "operator `{}` is `nondifferentiable` and has a backward at {}; drop one of them",
                    full_name(entry.op),
                    backward.location
                ));
            }
        }
        for OpEntry { op, .. } in self.ops.values() {
            if op.effectful && !op.written_arguments.is_empty() {
                self.problems.push(format!(
                    "operator `{}` ({}) is `effectful` and writes to its arguments, which torch allows one of: have it return a new tensor, or drop `effectful` (a call that writes is never left out)",
                    full_name(op),
                    op.location
                ));
            }
        }
        for entry in self.ops.values() {
            if let (false, Some(backward)) = (entry.op.written_arguments.is_empty(), entry.backward) {
                self.problems.push(format!(
                    "operator `{}` writes to its arguments and has a backward at {}; torch differentiates what returns a new tensor: let it do so, or drop the backward",
                    full_name(entry.op),
                    backward.location
                ));
            }
        }
        for OpEntry { op, .. } in self.ops.values().filter(|entry| entry.op.is_pointwise) {
            self.problems.extend(not_pointwise(op).into_iter().map(|what| {
                format!("operator `{}` ({}) says `sharding = pointwise` and {what}", full_name(op), op.location)
            }));
        }
        for entry in self.ops.values() {
            if let (true, Some(fake)) = (takes_objects(entry.op), entry.fake().filter(|fake| fake.dynamic > 0)) {
                self.problems.push(format!(
                    "operator `{}` takes an object, and its fake at {} asks for sizes that depend on data, which is not supported yet; take what is needed of the object as arguments",
                    full_name(entry.op),
                    fake.location
                ));
            }
        }
        for entry in self.classes.values() {
            check_class(entry, &mut self.problems);
            check_upgrades(entry, &mut self.problems);
        }
        if !self.problems.is_empty() {
            return Err(Error::runtime(self.problems.join("; ")));
        }
        Ok(Entries { ops: self.ops.into_values().collect(), classes: self.classes.into_values().collect() })
    }
}

fn check_class(entry: &ClassEntry, problems: &mut Vec<String>) {
    let class = entry.class;
    let mut names = BTreeSet::new();
    for method in entry.methods.iter().filter(|method| method.kind != MethodKind::Setter) {
        if !names.insert(method.name) {
            problems.push(format!("class `{}` has two methods `{}`", class.name, method.name));
        }
    }
    let mut setters = BTreeSet::new();
    for setter in entry.methods.iter().filter(|method| method.kind == MethodKind::Setter) {
        if !setters.insert(setter.name) {
            problems.push(format!("class `{}` has two setters of `{}`", class.name, setter.name));
        }
        check_property(entry, setter, problems);
    }
    if class.to && entry.flatten().or(entry.pickle()).is_none() {
        problems.push(format!(
            "class `{}` ({}) has `to`, which moves the tensors of its state, and no state: add `flatten` or `pickle`",
            class.name, class.location
        ));
    }
    if class.to && names.contains("to") {
        problems.push(format!("class `{}` ({}) has a method `to` and derives one", class.name, class.location));
    }
    if !entry.methods.iter().any(|method| method.kind == MethodKind::Init) {
        problems.push(format!(
            "class `{}` ({}) has no constructor: mark a function of its `#[torch_class] impl` block with `#[init]`",
            class.name, class.location
        ));
    }
}

/// Torch knows a property by its getter, and the two are of one type.
fn check_property(entry: &ClassEntry, setter: &MethodDef, problems: &mut Vec<String>) {
    let getter = entry.methods.iter().find(|method| method.kind == MethodKind::Getter && method.name == setter.name);
    let (class, name, place) = (entry.class.name, setter.name, setter.location);
    let Some(getter) = getter else {
        problems.push(format!(
            "class `{class}` has a setter of `{name}` ({place}) and no getter: torch has no property that can only be written; add `#[getter] fn {name}(&self)`"
        ));
        return;
    };
    let given: Vec<String> = setter.arguments.iter().map(|argument| argument.ty.to_string()).collect();
    let read: Vec<String> = getter.returns.iter().map(ToString::to_string).collect();
    if given != read {
        problems.push(format!(
            "class `{class}`: the getter of `{name}` returns `{}` and its setter takes `{}` ({place}); make them the same",
            read.join(", "),
            given.join(", ")
        ));
    }
}

/// Each older version is read by one function, and only of a class that is pickled.
fn check_upgrades(entry: &ClassEntry, problems: &mut Vec<String>) {
    let (class, mut versions) = (entry.class, BTreeSet::new());
    for role in &entry.states {
        let StateRole::Upgrade { version, location, .. } = role else { continue };
        let mut problem = |text: String| problems.push(format!("`#[upgrade({version})]` at {location}: {text}"));
        if !versions.insert(version) {
            problem(format!("class `{}` has another one", class.name));
        }
        if entry.pickle().is_none() {
            problem(format!("class `{}` is not pickled: add `pickle` to `#[torch_class(name = …)]`", class.name));
        } else if *version >= class.version {
            problem(format!(
                "the state of class `{}` has version {}: write `version = {}` on the struct",
                class.name,
                class.version,
                version + 1
            ));
        }
    }
}

/// `ns::op` or `ns::op.overload`.
pub(super) fn full_name(op: &OpDef) -> Cow<'static, str> {
    if op.overload.is_empty() { op.name.into() } else { format!("{}.{}", op.name, op.overload).into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{Arguments, Results};
    use crate::op::OpHandle;
    use crate::registration::SchemaDef;

    fn nothing(_: Arguments<'_>, _: Results<'_>) -> Result<()> {
        Ok(())
    }

    const fn op(line: u32) -> OpDef {
        OpDef {
            name: "ns::f",
            overload: "",
            foreign: false,
            schema: SchemaDef::Text("ns::f(Tensor x) -> Tensor"),
            arguments: &["x"],
            tensor_arguments: &[0],
            written_arguments: &[],
            returns: 1,
            constant_results: Constant::Some(&[]),
            autocast: &[],
            effectful: false,
            is_pointwise: false,
            tags: &[],
            location: Location { file: "op.rs", line },
            handle: OpHandle::new(),
        }
    }

    const fn kernel(key: &'static str, line: u32) -> KernelDef {
        KernelDef { key, call: nothing, dynamic: 0, path: "f", location: Location { file: "kernel.rs", line } }
    }

    static OP: OpDef = op(1);
    static AGAIN: OpDef = op(2);
    static COMPOSITE_KERNEL: [KernelDef; 1] = [kernel(COMPOSITE, 3)];
    static CPU: [KernelDef; 1] = [kernel("CPU", 4)];
    static CPU_AGAIN: [KernelDef; 1] = [kernel("CPU", 5)];
    static FAKES: [KernelDef; 1] = [kernel(FAKE, 6)];

    fn problem(entries: &'static [Registration]) -> String {
        gather(entries.iter()).map_or_else(|error| error.message().to_string(), |_| String::new())
    }

    #[test]
    fn a_kernel_beside_a_composite_one_would_lose_gradients() {
        static MIXED: [Registration; 2] = [
            Registration::Op { op: &OP, kernels: &COMPOSITE_KERNEL },
            Registration::Kernels { op: &OP, kernels: &CPU },
        ];
        let text = problem(&MIXED);
        assert!(
            text.contains("`ns::f` (op.rs:1) is composite") && text.contains("CPU kernel at kernel.rs:4"),
            "{text}"
        );
        static WITH_FAKE: [Registration; 2] = [
            Registration::Op { op: &OP, kernels: &COMPOSITE_KERNEL },
            Registration::Kernels { op: &OP, kernels: &FAKES },
        ];
        assert_eq!(problem(&WITH_FAKE), "");
    }

    #[test]
    fn a_pointwise_operator_is_named_with_what_it_cannot_be() {
        fn told(op: OpDef, kernels: &'static [KernelDef]) -> String {
            let op = Box::leak(Box::new(OpDef { is_pointwise: true, ..op }));
            problem(Box::leak(Box::new([Registration::Op { op, kernels }])))
        }
        let text = told(OpDef { schema: SchemaDef::Text("ns::f(int x) -> Tensor"), ..op(7) }, &CPU);
        assert!(text.contains("`ns::f` (op.rs:7) says `sharding = pointwise` and takes no tensor"), "{text}");
        let text = told(op(9), &COMPOSITE_KERNEL);
        assert!(text.contains("(op.rs:9) is composite") && text.contains("yet has `sharding`"), "{text}");
        assert_eq!(told(op(10), &CPU), "");
    }

    #[test]
    fn what_is_there_twice_or_nowhere_is_named_with_its_places() {
        static TWICE: [Registration; 2] =
            [Registration::Op { op: &OP, kernels: &CPU }, Registration::Op { op: &AGAIN, kernels: &[] }];
        let text = problem(&TWICE);
        assert!(text.contains("op.rs:1") && text.contains("op.rs:2"), "{text}");
        static TWO_KERNELS: [Registration; 2] =
            [Registration::Op { op: &OP, kernels: &CPU }, Registration::Kernels { op: &OP, kernels: &CPU_AGAIN }];
        let text = problem(&TWO_KERNELS);
        assert!(text.contains("kernel.rs:4") && text.contains("kernel.rs:5"), "{text}");
        static ELSEWHERE: [Registration; 1] = [Registration::Kernels { op: &OP, kernels: &CPU }];
        let text = problem(&ELSEWHERE);
        assert!(text.contains("kernel.rs:4") && text.contains("op.rs:1") && text.contains("foreign"), "{text}");
    }
}
