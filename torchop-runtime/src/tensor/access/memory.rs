//! Where a tensor's elements lie, and the borrow of that memory.

use super::element::TensorElement;
use super::explain;
use crate::borrow::{Claim, Clash, Gaps, Lease, Place, Step, conflict};
use crate::dtype::DType;
use crate::error::{Error, OrTorch, Result};
use crate::tensor::Tensor;
use std::mem::{MaybeUninit, align_of, size_of};
use std::panic::Location;
use torchop_sys::{TensorHandle, TensorMemory, ffi};

/// A tensor's elements, checked and borrowed.
#[derive(Debug)]
pub struct Elements {
    /// Of the tensor's own sizes and strides, which last as long as nothing is done with it.
    memory: TensorMemory,
    /// Nothing is borrowed where there is nothing.
    pub(super) lease: Option<Lease>,
}

/// What is asked of a tensor whose elements are to be borrowed: one register, a constant where it is asked.
#[derive(Clone, Copy)]
struct Wanted {
    dtype: DType,
    item: u8,
    align: u8,
    rank: u8,
    dense: bool,
    writable: bool,
    /// Every element is to be 0 or 1.
    bools: bool,
}

const ANY_RANK: u8 = u8::MAX;

impl Wanted {
    #[inline(always)]
    fn of<T: TensorElement>(writable: bool, rank: Option<usize>, dense: bool) -> Self {
        let (item, align) = const { (size_of::<T>() as u8, align_of::<T>() as u8) };
        // Arrays of Rust have a handful of dimensions, if their number is fixed.
        let rank = rank.map_or(ANY_RANK, |rank| rank as u8);
        Wanted { dtype: T::DTYPE, item, align, rank, dense, writable, bools: T::CHECKED }
    }
}

impl Elements {
    /// Checks the tensor and borrows its memory for reading; `rank` and `dense` are what the caller needs.
    #[inline(always)]
    pub(crate) fn read<T: TensorElement>(
        tensor: &Tensor,
        rank: Option<usize>,
        dense: bool,
        place: &'static Location<'static>,
    ) -> Result<Self> {
        Self::borrow(tensor, Wanted::of::<T>(false, rank, dense), place)
    }

    /// The same for writing.
    #[inline(always)]
    pub(crate) fn write<T: TensorElement>(
        tensor: &Tensor,
        rank: Option<usize>,
        dense: bool,
        place: &'static Location<'static>,
    ) -> Result<Self> {
        Self::borrow(tensor, Wanted::of::<T>(true, rank, dense), place)
    }

    /// For writing, to memory that may hold what is no value of the type, since nobody has written to it.
    pub(crate) fn overwrite<T: TensorElement>(tensor: &Tensor, place: &'static Location<'static>) -> Result<Self> {
        Self::borrow(tensor, Wanted { bools: false, ..Wanted::of::<T>(true, None, false) }, place)
    }

    /// Inlined, so that what was found is read where it was written, and not copied first.
    #[inline(always)]
    fn borrow(tensor: &Tensor, wanted: Wanted, place: &'static Location<'static>) -> Result<Self> {
        let mut room = MaybeUninit::uninit();
        take(tensor, wanted, place, &mut room)?;
        // SAFETY: it is written where there is no error.
        Ok(unsafe { room.assume_init() })
    }

    /// The address of the first; any that is not 0 if there are none.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        self.memory.data
    }

    /// Whether there are none. Their strides may be any numbers then.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.memory.empty
    }

    /// How many bytes they span, from the first to the last.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.memory.bytes
    }

    /// The sizes: at least 0 each.
    #[inline]
    pub(crate) fn sizes(&self) -> &[i64] {
        // SAFETY: see `ints`; used before anything else is done with the tensor.
        unsafe { ints(self.memory.sizes, self.memory.rank) }
    }

    /// The strides in elements: at least 0 each.
    #[inline]
    pub(crate) fn strides(&self) -> &[i64] {
        // SAFETY: as above.
        unsafe { ints(self.memory.strides, self.memory.rank) }
    }

    /// Whether each byte is 0 or 1: what a Rust `bool` is.
    fn all_below_two(&self) -> bool {
        let first = self.memory.data as *const u8;
        if self.memory.contiguous {
            // SAFETY: borrowed, `bytes` long; any byte is a `u8`.
            return unsafe { std::slice::from_raw_parts(first, self.memory.bytes) }
                .iter()
                .fold(0, |all, byte| all | byte)
                < 2;
        }
        every_place(first, &steps(&self.memory, 1).collect::<Vec<_>>())
    }
}

fn every_place(first: *const u8, steps: &[Step]) -> bool {
    match steps {
        // SAFETY: the place of an element of the borrowed tensor.
        [] => unsafe { *first < 2 },
        // SAFETY: as above, one element each.
        [step, rest @ ..] => (0..step.count).all(|n| every_place(unsafe { first.add(n * step.stride) }, rest)),
    }
}

/// # Safety
/// What `tensor_memory` gave, while nothing else is done with the tensor.
unsafe fn ints<'a>(first: *const i64, count: usize) -> &'a [i64] {
    // SAFETY: C++ gives an array of `count`; an empty one may have no address.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } }
}

/// Of `torchop::Problem` in the bridge.
const LAYOUT: u8 = 4;
const NESTED: u8 = 5;
const WRAPPER: u8 = 8;
const NO_DATA: u8 = 10;
const THREW: u8 = 12;

/// What memory is wanted for. Same order as `torchop::Use` in the bridge.
#[derive(Clone, Copy)]
enum Purpose {
    Read,
    Write,
    Operator,
}

/// What is in the way (`torchop::Problem`). If nothing is, that is 0, `room` is filled in, and a reference to the storage is
/// the caller's.
#[inline]
fn look(tensor: &TensorHandle, purpose: Purpose, room: &mut MaybeUninit<TensorMemory>) -> Result<u8> {
    let room = room.as_mut_ptr();
    // SAFETY: C++ only writes to it, and always writes the problem.
    unsafe {
        ffi::tensor_memory_quick(tensor, purpose as u8, room);
        if (*room).problem == THREW {
            ffi::tensor_memory(tensor, purpose as u8, room).or_torch()?;
        }
        Ok((*room).problem)
    }
}

/// The dimensions that lead anywhere, in bytes. Strides of the others may be any numbers.
fn steps(memory: &TensorMemory, item: usize) -> impl Iterator<Item = Step> + '_ {
    // SAFETY: without a problem; nothing has been done with the tensor since.
    let (sizes, strides) = unsafe { (ints(memory.sizes, memory.rank), ints(memory.strides, memory.rank)) };
    sizes
        .iter()
        .zip(strides)
        .filter(|&(&count, &stride)| count > 1 && stride > 0)
        .map(move |(&count, &stride)| Step { count: count as usize, stride: stride as usize * item })
}

/// Checks the tensor, borrows its memory, and writes to `room`, if there is no error.
#[inline(never)]
fn take(
    tensor: &Tensor,
    wanted: Wanted,
    place: &'static Location<'static>,
    room: &mut MaybeUninit<Elements>,
) -> Result<()> {
    let purpose = if wanted.writable { Purpose::Write } else { Purpose::Read };
    let room = room.as_mut_ptr();
    // SAFETY: the two fields of `room`, of which the first is lent as what it is: not yet written.
    let (memory, lease) =
        unsafe { (&mut *(&raw mut (*room).memory).cast::<MaybeUninit<TensorMemory>>(), &raw mut (*room).lease) };
    let problem = look(tensor.handle(), purpose, memory).map_err(|error| error.at(place))?;
    if problem != 0 {
        return Err(explain::problem(tensor, problem, wanted.writable).at(place));
    }
    // SAFETY: without a problem `look` filled it in.
    let memory = unsafe { memory.assume_init_mut() };
    let kept = Kept(memory.storage);
    check(tensor, wanted, memory).map_err(|error| error.at(place))?;
    std::mem::forget(kept);
    // SAFETY: `look` gave the reference to the storage, and `kept` does not give it back; the bytes lie in it. The other field of `room`.
    unsafe { lease.write(borrow(tensor, wanted, memory, place)?) };
    if wanted.bools {
        // SAFETY: both fields are written; the caller leaves them alone where there is an error.
        unsafe { check_bools(tensor, room) }.map_err(|error| error.at(place))?;
    }
    Ok(())
}

/// Whether the memory is what is wanted.
#[inline]
fn check(tensor: &Tensor, wanted: Wanted, memory: &TensorMemory) -> Result<()> {
    if memory.dtype != wanted.dtype.code() {
        return Err(explain::dtype(tensor, wanted.dtype, memory.dtype));
    }
    if wanted.rank != ANY_RANK && usize::from(wanted.rank) != memory.rank {
        return Err(explain::rank(tensor, wanted.rank.into(), memory.rank));
    }
    if !memory.contiguous {
        check_strided(tensor, wanted, memory)?;
    }
    let align = usize::from(wanted.align);
    if memory.data & (align - 1) != 0 {
        return Err(explain::misaligned(tensor, wanted.dtype, memory.data, align));
    }
    Ok(())
}

/// The lease of memory that was checked; none where there is none.
///
/// # Safety
/// One reference to the storage is given away, in which the bytes lie.
#[inline]
unsafe fn borrow(
    tensor: &Tensor,
    wanted: Wanted,
    memory: &mut TensorMemory,
    place: &'static Location<'static>,
) -> Result<Option<Lease>> {
    if memory.empty {
        drop(Kept(memory.storage));
        memory.data = wanted.align.into();
        return check_empty(tensor, wanted, memory).map(|()| None).map_err(|error| error.at(place));
    }
    let mut claim = Claim::solid(memory.data, memory.bytes, memory.storage, wanted.writable, Place::new(place));
    let gaps;
    if !memory.contiguous {
        gaps = gaps_of(memory, wanted.item.into());
        claim.gaps = gaps.as_ref();
    }
    // SAFETY: the caller's promise.
    match unsafe { Lease::new(claim) } {
        Ok(Ok(lease)) => Ok(Some(lease)),
        Ok(Err(clash)) => Err(busy(tensor, &clash).at(place)),
        Err(error) => Err(error.at(place)),
    }
}

#[inline(never)]
fn gaps_of(memory: &TensorMemory, item: usize) -> Option<Gaps> {
    Gaps::of(steps(memory, item), item)
}

/// Drops what is there in case of an error.
///
/// # Safety
/// The elements are written.
#[inline(never)]
unsafe fn check_bools(tensor: &Tensor, elements: *mut Elements) -> Result<()> {
    // SAFETY: the caller's promise.
    let found = unsafe { &*elements };
    if found.lease.is_none() || found.all_below_two() {
        return Ok(());
    }
    // SAFETY: as above; nobody reads them any more.
    unsafe { elements.drop_in_place() };
    Err(explain::no_bools(tensor))
}

/// What else has to hold where elements do not lie one after the other.
#[inline(never)]
fn check_strided(tensor: &Tensor, wanted: Wanted, memory: &TensorMemory) -> Result<()> {
    if wanted.dense {
        return Err(explain::not_contiguous(tensor, wanted.writable));
    }
    // SAFETY: without a problem; nothing has been done with the tensor since.
    let (sizes, strides) = unsafe { (ints(memory.sizes, memory.rank), ints(memory.strides, memory.rank)) };
    if too_many(sizes) {
        return Err(explain::too_many(tensor));
    }
    if wanted.writable && may_overlap(sizes, strides) {
        return Err(explain::overlaps(tensor));
    }
    Ok(())
}

/// Sizes beside the 0 may be any numbers; an array of Rust may not have them.
#[cold]
fn check_empty(tensor: &Tensor, wanted: Wanted, memory: &TensorMemory) -> Result<()> {
    // SAFETY: as in `check_strided`.
    if !wanted.dense && too_many(unsafe { ints(memory.sizes, memory.rank) }) {
        return Err(explain::too_many(tensor));
    }
    Ok(())
}

/// A reference to a storage, until the lease has it.
struct Kept(usize);

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the one reference that `tensor_memory` gave.
        unsafe { ffi::storage_release(self.0) }
    }
}

fn busy(tensor: &Tensor, clash: &Clash) -> Error {
    Error::runtime(format!(
        "the tensor's memory is borrowed for {}, and is now to be borrowed for {}; let the first view go out of scope before (`drop(view)`), or take a copy (`.deep_clone()?`)",
        clash.held(),
        clash.wanted()
    ))
    .about(tensor.bits())
}

/// Whether there are more elements than Rust can count, leaving out sizes of 0. Only elements that share memory can be so many.
fn too_many(sizes: &[i64]) -> bool {
    sizes
        .iter()
        .filter(|size| **size > 0)
        .try_fold(1_isize, |product, size| product.checked_mul(isize::try_from(*size).ok()?))
        .is_none()
}

/// Whether two elements may lie at one place. Never false if two do.
pub(super) fn may_overlap(sizes: &[i64], strides: &[i64]) -> bool {
    let mut dims: smallvec::SmallVec<[(i64, i64); 8]> =
        strides.iter().copied().zip(sizes.iter().copied()).filter(|(_, size)| *size > 1).collect();
    dims.sort_unstable();
    let mut reach = 0;
    dims.iter().any(|&(stride, size)| {
        let inside = stride <= reach;
        reach += (size - 1) * stride;
        inside
    })
}

/// The memory behind a tensor, as an operator would use it.
enum Reach {
    Memory(Claim<'static>, Option<Gaps>),
    /// That of other tensors.
    Parts,
    Nothing,
}

/// What stands in the way of code that reads a tensor's memory, or also `writes` to it. A sparse, nested or wrapped tensor is the
/// tensors that it is made of.
pub(crate) fn clash(tensor: &TensorHandle, writes: bool, place: &'static Location<'static>) -> Option<Clash> {
    match reach(tensor, writes, place) {
        Reach::Memory(claim, gaps) => conflict(Claim { gaps: gaps.as_ref(), ..claim }),
        Reach::Parts => parts(tensor).find_map(|part| clash(part.handle(), writes, place)),
        Reach::Nothing => None,
    }
}

/// The tensors that one is made of which has no elements of its own.
pub(crate) fn parts(tensor: &TensorHandle) -> impl Iterator<Item = Tensor> + '_ {
    (0..)
        .map(|index| Tensor::from_owned_handle(ffi::tensor_part(tensor, index)))
        .take_while(|part| ffi::tensor_defined(part.handle()))
}

/// What an operator would use. No reference is kept: the operator's arguments hold the storage.
fn reach(tensor: &TensorHandle, writable: bool, place: &'static Location<'static>) -> Reach {
    let mut room = MaybeUninit::uninit();
    match look(tensor, Purpose::Operator, &mut room) {
        Ok(0) => {}
        Ok(LAYOUT | NESTED | WRAPPER | NO_DATA) => return Reach::Parts,
        _ => return Reach::Nothing,
    }
    // SAFETY: without a problem `look` filled it in.
    let memory = unsafe { room.assume_init() };
    let _kept = Kept(memory.storage);
    if memory.empty {
        // What has no elements is written to by giving it some: by resizing, which moves the memory of all that share it.
        let (mut begin, mut bytes) = (0, 0);
        if writable && ffi::tensor_storage_range(tensor, &mut begin, &mut bytes) {
            return Reach::Memory(Claim::solid(begin, bytes, memory.storage, true, Place::new(place)), None);
        }
        return Reach::Nothing;
    }
    let claim = Claim::solid(memory.data, memory.bytes, memory.storage, writable, Place::new(place));
    let gaps = if memory.contiguous {
        None
    } else {
        let item = ffi::tensor_item_size(tensor).unwrap_or(1);
        gaps_of(&memory, item)
    };
    Reach::Memory(claim, gaps)
}
