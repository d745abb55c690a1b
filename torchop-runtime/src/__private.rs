//! What generated code names. No promise of stability: the module that `torchop` re-exports carries the version.

pub use crate::check::*;
pub use crate::class::{
    Changes, Changing, Class, Constructed, Field, FieldReader, FieldWriter, Fields, Init, Method, Pickle, State,
    TorchRef, Unset, construct, field_argument, fields_def, give_object, restore_object, split_object, state_def,
    taken_object,
};
pub use crate::convert::{
    Argument, ArgumentSlot, Arguments, BorrowedTuplePart, Element, Gradient, Gradients, List, Mismatch, NoElement, One,
    OwnedValues, Part, PartWriter, PutAll, ReadAll, ReadNoPart, ReadOwnedPart, ReadPart, ResultSlot, ResultValues,
    Results, Returned, TakePart, TuplePart, Value, Word, borrowed_part, give_one, owned_part, parts, put_parts,
    read_word, taken_one,
};
pub use crate::error::{Error, Result};
pub use crate::fake_tensor::FakeTensor;
pub use crate::load::on_load;
pub use crate::op::aten::Same;
pub use crate::op::{OpHandle, call};
pub use crate::quiet::{Call, Made, MethodOf, NoMethod, NotCalled, NotMade, NotRead, Quiet, Read, Silent};
pub use crate::registration::*;
pub use crate::sym_int::SymInt;
pub use crate::tensor::dispatch::unsupported_dtype;
pub use crate::tensor::{Elements, Tensor};
pub use linkme;
pub use torchop_schema::{SchemaDefault, SchemaType};

/// Reads all arguments of a call.
#[inline]
pub fn read<'s, A: ReadAll<'s>>(arguments: Arguments<'s>) -> Result<A> {
    A::read_all(arguments)
}

/// Puts a function's results.
#[inline]
pub fn give<R: Returned>(results: Results<'_>, returned: R) -> Result<()> {
    returned.give(results)
}

/// Puts a tensor like the argument at `index`: what `fake = like(x)` stands for.
pub fn give_like(arguments: Arguments<'_>, index: usize, mut results: Results<'_>) -> Result<()> {
    let like = arguments.get(index).ok_or_else(|| Error::type_error("too few arguments"))?;
    let like = <&FakeTensor as Argument>::read(like).map_err(|mismatch| Error::from(mismatch).at_argument(index))?;
    Element::put(like.empty_like()?, results.next()?)
}

/// Puts a backward's gradients.
#[inline]
pub fn give_gradients<G: Gradients>(results: Results<'_>, gradients: G) -> Result<()> {
    gradients.give(results)
}

/// Whether sizes and their like, and the device, of a tensor are read where they lie; else torch is asked. For tests.
#[doc(hidden)]
pub fn reads_in_place(tensor: &Tensor) -> (bool, bool) {
    (tensor.handle().plain().is_some(), tensor.handle().plain_device().is_some())
}

/// Emits the static that makes the loader call [`on_load`]. It must stand in the user's own crate: the linker drops it from
/// a dependency that nothing names.
#[doc(hidden)]
#[macro_export]
macro_rules! __torchop_load_hook {
    () => {
        #[used]
        #[cfg_attr(any(target_os = "linux", target_os = "android"), unsafe(link_section = ".init_array"))]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
        static __TORCHOP_HOOK: extern "C" fn() = $crate::__private::on_load;
    };
}
pub use crate::__torchop_load_hook as load_hook;
pub use crate::{
    __torchop_returned as returned_as_one, __torchop_returned_as_object as returned_as_object, __torchop_word as word,
};
