//! Types that both sides know by layout.

use crate::ffi::Failure;
use cxx::{ExternType, type_id};

/// Torch's value (`c10::IValue`): a payload and a tag. Plain bits to Rust: whoever holds it knows whether it owns what the
/// bits stand for.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct RawValue {
    /// A number, or an intrusive pointer.
    pub payload: u64,
    /// What the payload is; torch's private numbers, learned at load (`ffi::value_layout`).
    pub tag: u32,
    /// Not torch's: whether an argument is lent, and of how many numbers.
    note: u32,
}

impl RawValue {
    /// Torch's `None`, which owns nothing.
    pub const NONE: RawValue = RawValue { payload: 0, tag: 0, note: 0 };

    /// As in `Lent` in cpp/lent.h: the payload is the address of numbers, of tensors, of references to tensors.
    const INTS: u32 = 0xffff_ff00;
    const TENSORS: u32 = 0xffff_ff01;
    const TENSOR_REFERENCES: u32 = 0xffff_ff02;

    /// A value from its parts.
    pub const fn new(payload: u64, tag: u32) -> Self {
        RawValue { payload, tag, note: 0 }
    }

    /// An argument of a call into torch that stays the caller's, which keeps it alive until the call returns.
    pub const fn lent(payload: u64, tag: u32) -> Self {
        RawValue { payload, tag, note: 1 }
    }

    /// Numbers as an argument of a call into torch, which stay the caller's; `None` if there are too many.
    pub fn lent_ints(numbers: &[i64]) -> Option<Self> {
        Self::lent_list(numbers.as_ptr() as u64, numbers.len(), Self::INTS)
    }

    /// The same of tensors.
    pub fn lent_tensors(tensors: &[TensorHandle]) -> Option<Self> {
        Self::lent_list(tensors.as_ptr() as u64, tensors.len(), Self::TENSORS)
    }

    /// The same of references to tensors.
    pub fn lent_tensor_references(tensors: &[&TensorHandle]) -> Option<Self> {
        Self::lent_list(tensors.as_ptr() as u64, tensors.len(), Self::TENSOR_REFERENCES)
    }

    fn lent_list(payload: u64, length: usize, tag: u32) -> Option<Self> {
        Some(RawValue { payload, tag, note: u32::try_from(length).ok()? })
    }

    /// The tensors of a list that is lent; none if it is no such list.
    ///
    /// # Safety
    /// What was lent lives.
    pub unsafe fn lent_list_tensors(&self) -> impl Iterator<Item = &TensorHandle> {
        let (address, length) = (self.payload, self.note as usize);
        let count = |tag| if self.tag == tag { length } else { 0 };
        let (own, references) = (count(Self::TENSORS), count(Self::TENSOR_REFERENCES));
        // SAFETY: `lent_tensors` and `lent_tensor_references` had the address and the length from a slice of these, which lives.
        let own = (0..own).map(move |index| unsafe { &*(address as *const TensorHandle).add(index) });
        // SAFETY: as above.
        own.chain((0..references).map(move |index| unsafe { *(address as *const &TensorHandle).add(index) }))
    }

    /// Whether it is lent: nothing to drop.
    pub const fn is_lent(&self) -> bool {
        self.note != 0 || self.tag >= Self::INTS
    }
}

// SAFETY: the C++ side asserts that c10::IValue has 16 bytes; only pointers to it cross the bridge.
unsafe impl ExternType for RawValue {
    type Id = type_id!("torchop::RawValue");
    type Kind = cxx::kind::Opaque;
}

/// A tensor (`at::Tensor`): one intrusive pointer, never null. Owns one reference; has no `Drop` of its own.
#[repr(transparent)]
#[derive(Debug)]
pub struct TensorHandle(u64);

// SAFETY: at::Tensor is one intrusive pointer, relocatable bit by bit; size asserted on the C++ side.
unsafe impl ExternType for TensorHandle {
    type Id = type_id!("torchop::TensorHandle");
    type Kind = cxx::kind::Trivial;
}

impl TensorHandle {
    /// The pointer, giving up the reference that it stands for.
    pub const fn into_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn bits(&self) -> u64 {
        self.0
    }

    /// A handle from its pointer.
    ///
    /// # Safety
    /// `bits` is a live `c10::TensorImpl*`, and the caller owns one reference to it, or never lets the handle be dropped.
    pub const unsafe fn from_bits(bits: u64) -> Self {
        TensorHandle(bits)
    }
}

/// A symbolic integer (`c10::SymInt`): a number, or a tagged pointer. Owns what it points to; has no `Drop` of its own.
#[repr(transparent)]
#[derive(Debug)]
pub struct SymIntHandle(i64);

// SAFETY: c10::SymInt is one word, relocatable bit by bit; size asserted on the C++ side.
unsafe impl ExternType for SymIntHandle {
    type Id = type_id!("torchop::SymIntHandle");
    type Kind = cxx::kind::Trivial;
}

/// A generator of random numbers (`at::Generator`): one intrusive pointer. Owns one reference; has no `Drop` of its own.
#[repr(transparent)]
#[derive(Debug)]
pub struct GeneratorHandle(u64);

// SAFETY: at::Generator is one intrusive pointer, relocatable bit by bit.
unsafe impl ExternType for GeneratorHandle {
    type Id = type_id!("torchop::GeneratorHandle");
    type Kind = cxx::kind::Trivial;
}

/// A Rust function behind a kernel, a backward or a method.
///
/// Called with a context, `argument_count` values to read in place and `result_count` slots that hold `None`; returns null,
/// or an owned [`Failure`] for C++ to throw. It never unwinds.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KernelFn(
    pub  unsafe extern "C" fn(
        context: *const u8,
        arguments: *const RawValue,
        argument_count: usize,
        results: *mut RawValue,
        result_count: usize,
    ) -> *mut Failure,
);

// SAFETY: a plain function pointer of the same signature on both sides.
unsafe impl ExternType for KernelFn {
    type Id = type_id!("torchop::KernelFn");
    type Kind = cxx::kind::Trivial;
}

/// Destroys a Rust object. It never unwinds.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct DropFn(pub unsafe extern "C" fn(object: *mut u8));

// SAFETY: a plain function pointer of the same signature on both sides.
unsafe impl ExternType for DropFn {
    type Id = type_id!("torchop::DropFn");
    type Kind = cxx::kind::Trivial;
}

/// What [`crate::ffi::tensor_memory`] found: where the elements of a tensor lie, in the memory of the CPU.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TensorMemory {
    /// The address of the first element; 0 if there are none.
    pub data: usize,
    /// How many bytes the elements span, from the first to the last; all lie in the storage.
    pub bytes: usize,
    /// The storage, of which the caller has one reference if there is no problem.
    pub storage: usize,
    /// The sizes; valid until something else is done with the tensor.
    pub sizes: *const i64,
    /// The strides, in elements; as many.
    pub strides: *const i64,
    /// The number of dimensions.
    pub rank: usize,
    /// `c10::ScalarType`
    pub dtype: i8,
    /// Why the elements cannot be reached; 0 if they can.
    pub problem: u8,
    /// Whether the elements lie one after the other in row-major order.
    pub contiguous: bool,
    /// Whether there are no elements.
    pub empty: bool,
}

// SAFETY: a plain struct of the same fields on both sides.
unsafe impl ExternType for TensorMemory {
    type Id = type_id!("torchop::TensorMemory");
    type Kind = cxx::kind::Trivial;
}

/// A part of a parallel loop: the numbers from `begin` to `end`, without it, possibly on another thread. It never unwinds.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct RangeFn(pub unsafe extern "C" fn(context: *const u8, begin: i64, end: i64));

// SAFETY: a plain function pointer of the same signature on both sides.
unsafe impl ExternType for RangeFn {
    type Id = type_id!("torchop::RangeFn");
    type Kind = cxx::kind::Trivial;
}
