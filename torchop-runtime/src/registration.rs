//! What the attributes leave behind: link-time entries that the load hook reads.

use crate::convert::{Arguments, Results};
use crate::error::Result;
use crate::op::OpHandle;
use torchop_schema::{SchemaDefault, SchemaType};

/// One use of an attribute. The table is complete before any constructor of the library runs (linkme); its order differs
/// between builds, so the load hook sorts it.
#[derive(Debug)]
pub enum Registration {
    /// `#[torch_op(schema = …)]`, with the kernels that the definition itself gives.
    Op {
        /// The operator.
        op: &'static OpDef,
        /// One for each dispatch key on the definition.
        kernels: &'static [KernelDef],
    },
    /// `kernel_of`, `fake_of`.
    Kernels {
        /// The operator that the kernels belong to.
        op: &'static OpDef,
        /// One for each dispatch key.
        kernels: &'static [KernelDef],
    },
    /// `backward_of`.
    Backward {
        /// The operator.
        op: &'static OpDef,
        /// Its backward.
        backward: BackwardDef,
    },
    /// `jvp_of`.
    Jvp {
        /// The operator.
        op: &'static OpDef,
        /// Its forward-mode derivative.
        jvp: JvpDef,
    },
    /// `batch_of`.
    Batch {
        /// The operator.
        op: &'static OpDef,
        /// Its rule for vmap.
        batch: BatchDef,
    },
    /// `#[torch_class]` on a struct.
    Class(&'static ClassDef),
    /// `#[torch_class]` on an impl block.
    Methods {
        /// The class that the block belongs to.
        class: &'static ClassDef,
        /// All that torch can call, without the fakes.
        methods: &'static [MethodDef],
        /// The functions marked `#[fake(method)]`.
        fakes: &'static [FakeDef],
        /// Its ways to be pickled and traced that are functions of the user's.
        states: &'static [StateRole],
    },
}

/// All registrations of this library.
#[linkme::distributed_slice]
pub static REGISTRATIONS: [Registration];

/// A place in the user's source, as `file!()` and `line!()` give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path as rustc was given it.
    pub file: &'static str,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An operator's definition. Its address is its identity: always a `static`.
#[derive(Debug)]
pub struct OpDef {
    /// `ns::name`.
    pub name: &'static str,
    /// The part after the dot, or empty.
    pub overload: &'static str,
    /// Whether another library has defined it: this one adds to it.
    pub foreign: bool,
    /// Arguments and results.
    pub schema: SchemaDef,
    /// Names of the arguments, in order.
    pub arguments: &'static [&'static str],
    /// Which arguments can hold tensors (`Tensor`, `Tensor?`, lists of these): what autograd looks at.
    pub tensor_arguments: &'static [u16],
    /// Which of these are written to: `Tensor(a!)` and the like.
    pub written_arguments: &'static [u16],
    /// Number of values that a kernel returns.
    pub returns: u16,
    /// Which results have no gradient: `nondifferentiable`.
    pub constant_results: Constant,
    /// The dtypes that autocast casts the tensors to, for each of its dispatch keys.
    pub autocast: &'static [AutocastDef],
    /// Whether each call counts, beside its results: `effectful`.
    pub effectful: bool,
    /// `sharding = pointwise`: each element of the results depends on one element of each tensor.
    pub is_pointwise: bool,
    /// Torch's tags, by their names in `torch.Tag`.
    pub tags: &'static [&'static str],
    /// Where it was written.
    pub location: Location,
    /// The registered operator, looked up once.
    pub handle: OpHandle,
}

/// The results that have no gradient by their author's word.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// All: the operator has no gradient.
    All,
    /// These.
    Some(&'static [u16]),
}

/// What autocast does on a device.
#[derive(Clone, Copy, Debug)]
pub struct AutocastDef {
    /// The dispatch key: `AutocastCPU`, …
    pub key: &'static str,
    /// The device, by torch's number.
    pub device: i8,
    /// The dtype, by torch's number; the region's own if it is negative.
    pub dtype: i8,
}

/// What torch is told of an operator's arguments and results.
#[derive(Clone, Copy, Debug)]
pub enum SchemaDef {
    /// The whole schema as its author wrote it: `ns::name.overload(Tensor x) -> Tensor`. (What torch prints of it, torch cannot
    /// always read.)
    Text(&'static str),
    /// From the function's signature.
    Inferred {
        /// The arguments, with sizes where a number may be one.
        arguments: &'static [ArgumentDef],
        /// The types of the results, likewise.
        returns: &'static [SchemaType],
    },
}

/// What every kernel, fake, backward and method is to torch: arguments in, results out.
pub type Kernel = fn(Arguments<'_>, Results<'_>) -> Result<()>;

/// A function for one dispatch key.
#[derive(Debug)]
pub struct KernelDef {
    /// The dispatch key by torch's own name: `CPU`, `CUDA`, `Meta` (fakes), `CompositeImplicitAutograd`, …
    pub key: &'static str,
    /// The function behind it.
    pub call: Kernel,
    /// How many sizes that depend on data it takes after the operator's arguments (fakes only).
    pub dynamic: u16,
    /// The user's function, as a path, for messages.
    pub path: &'static str,
    /// Where it was written.
    pub location: Location,
}

/// A forward-mode derivative.
#[derive(Debug)]
pub struct JvpDef {
    /// The function: takes what `needs` lists, gives one tangent for each result of the operator.
    pub call: Kernel,
    /// What it takes, in order.
    pub needs: &'static [JvpNeed],
    /// The user's function, as a path, for messages.
    pub path: &'static str,
    /// Where it was written.
    pub location: Location,
}

/// What a parameter of a forward-mode derivative is. The order is the bridge's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JvpNeedKind {
    /// An argument, without its tangent.
    Argument,
    /// The tangent of an argument: `tangent_` before its name.
    Tangent,
    /// A result.
    Output,
}

/// One parameter of a forward-mode derivative.
#[derive(Clone, Copy, Debug)]
pub struct JvpNeed {
    /// What it is.
    pub kind: JvpNeedKind,
    /// Which one of its kind.
    pub index: u16,
    /// Whether the parameter is an `Option`: a tangent that is not there is `None` then, and zeros otherwise.
    pub optional: bool,
}

/// A rule for vmap.
#[derive(Debug)]
pub struct BatchDef {
    /// The function: takes what `needs` lists, gives the operator's results with the batch dimension in front.
    pub call: Kernel,
    /// What it takes, in order.
    pub needs: &'static [BatchNeed],
    /// The user's function, as a path, for messages.
    pub path: &'static str,
    /// Where it was written.
    pub location: Location,
}

/// What a parameter of a rule for vmap is. The order is the bridge's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchNeedKind {
    /// An argument, with the batch dimension in front if it has one.
    Argument,
    /// Whether an argument has a batch dimension: `is_batched_` before its name.
    IsBatched,
    /// The size of the batch dimension: `batch_size`.
    BatchSize,
}

/// One parameter of a rule for vmap.
#[derive(Clone, Copy, Debug)]
pub struct BatchNeed {
    /// What it is.
    pub kind: BatchNeedKind,
    /// Which argument.
    pub index: u16,
}

/// A backward function.
#[derive(Debug)]
pub struct BackwardDef {
    /// The function: takes what `needs` lists, gives one result for each of `gradients`.
    pub call: Kernel,
    /// What it takes, in order.
    pub needs: &'static [Need],
    /// Indices of the arguments that it returns gradients for, in the order of its results.
    pub gradients: &'static [u16],
    /// The operator that it is itself, if it is one.
    pub op: Option<&'static OpDef>,
    /// The user's function, as a path, for messages.
    pub path: &'static str,
    /// Where it was written.
    pub location: Location,
}

/// What a name in a backward's parameter list stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// An argument of the operator.
    Argument,
    /// A result of the operator: `output`, or `output0`, `output1`, … or its name in the schema.
    Output,
    /// The gradient of a result: `grad_` before the result's name.
    Gradient,
    /// Whether a gradient is wanted for an argument: `needs_grad_` before the argument's name.
    NeedsGrad,
}

/// One parameter of a backward.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// What it is.
    pub kind: SlotKind,
    /// Which one of its kind.
    pub index: u16,
    /// Whether the parameter is an `Option`: an undefined gradient is `None` then, and zeros otherwise.
    pub optional: bool,
}

/// A class's definition. Its address is its identity: always a `static`.
#[derive(Debug)]
pub struct ClassDef {
    /// `ns::Name`.
    pub name: &'static str,
    /// The name in torch's schema language: `__torch__.torch.classes.ns.Name`.
    pub full_name: &'static str,
    /// The struct's doc comment.
    pub doc: &'static str,
    /// Where it was written.
    pub location: Location,
    /// Whether methods change its objects; gathered from them at load. Apart from this, which constants read.
    pub changes: &'static crate::class::Changes,
    /// The version of its pickled state.
    pub version: u32,
    /// What `pickle` derives.
    pub pickle: Option<StateDef>,
    /// What `flatten` derives.
    pub flatten: Option<StateDef>,
    /// Whether it has a derived method `to(device)`.
    pub to: bool,
}

/// Functions of the user's that turn objects into values and back.
#[derive(Debug)]
pub enum StateRole {
    /// `#[getstate]` and `#[setstate]`.
    Pickle(StateDef),
    /// `#[flatten]` and `#[unflatten]`.
    Flatten(StateDef),
    /// `#[upgrade(version)]`: reads the state of an older version.
    Upgrade {
        /// That version.
        version: u32,
        /// The entries that it takes.
        fields: &'static [FieldDef],
        /// Takes an empty object and then one argument per entry; fills the object.
        restore: Kernel,
        /// Where it was written.
        location: Location,
    },
}

/// How an object turns into values and back.
#[derive(Debug)]
pub struct StateDef {
    /// Names and types, in the order of the struct's fields or of the function's arguments.
    pub fields: &'static [FieldDef],
    /// Takes the object, gives one result per entry.
    pub save: Kernel,
    /// Takes an empty object and then one argument per entry; fills the object.
    pub restore: Kernel,
}

/// An entry of a state.
#[derive(Debug)]
pub struct FieldDef {
    /// Its name.
    pub name: &'static str,
    /// Its schema type.
    pub ty: SchemaType,
}

/// What a method is to torch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// The constructor.
    Init,
    /// Called on an object.
    Method,
    /// Read as a property.
    Getter,
    /// Written as a property.
    Setter,
    /// Called on the class, without an object.
    Static,
}

impl MethodKind {
    /// `torchop::MethodKind` in the bridge.
    pub(crate) const fn torch(self) -> u8 {
        match self {
            MethodKind::Init | MethodKind::Method => 0,
            MethodKind::Getter => 1,
            MethodKind::Setter => 2,
            MethodKind::Static => 3,
        }
    }
}

/// A method of a class. `call` takes the object as its first argument.
#[derive(Debug)]
pub struct MethodDef {
    /// The name in Rust, and in Python except for [`MethodKind::Init`].
    pub name: &'static str,
    /// What it is.
    pub kind: MethodKind,
    /// Whether it changes its object: `&mut self`.
    pub changes: bool,
    /// The arguments after `self`.
    pub arguments: &'static [ArgumentDef],
    /// The types of its results.
    pub returns: &'static [SchemaType],
    /// The function.
    pub call: Kernel,
    /// The doc comment.
    pub doc: &'static str,
    /// Where it was written.
    pub location: Location,
    /// What stands for it while torch traces, if no function does.
    pub fake: MethodFake,
}

/// What stands for a method while torch traces, where no function marked `#[fake(method)]` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodFake {
    /// The method itself if it gives an entry of the state, else nothing.
    Unsaid,
    /// A tensor like the argument of that index: `#[method(fake = like(x))]`.
    Like(u16),
    /// The method itself, on an object that is made of the traced state: `#[method(composite)]`.
    Composite,
}

/// An argument, where no schema text says it.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentDef {
    /// Its name.
    pub name: &'static str,
    /// Its schema type.
    pub ty: SchemaType,
    /// Its default: `#[torch(default = …)]`.
    pub default: Option<SchemaDefault>,
}

/// A method's fake. `call` takes the entries of the class's flattened state as first arguments, in the order of [`StateDef::fields`]. If it changes
/// the object, a tensor without meaning stands before them, and the entries come back after its results.
#[derive(Debug)]
pub struct FakeDef {
    /// Whether it changes the object: `&mut self`.
    pub changes: bool,
    /// The method that it stands for.
    pub method: &'static str,
    /// The function.
    pub call: Kernel,
    /// Where it was written.
    pub location: Location,
}
