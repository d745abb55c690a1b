//! Where a tensor's elements lie, and the borrow of that memory.

use super::element::TensorElement;
use super::explain;
use crate::borrow::{Claim, Clash, Lease, Place, Step, conflict};
use crate::error::{Error, OrTorch, Result};
use crate::tensor::Tensor;
use std::mem::{MaybeUninit, align_of, size_of};
use std::panic::Location;
use torchop_sys::{TensorHandle, TensorMemory, ffi};

/// A tensor's elements, checked and borrowed.
#[derive(Debug)]
pub struct Elements {
    /// The first one; any aligned address if there are none.
    pub(super) first: usize,
    pub(super) sizes: *const i64,
    pub(super) strides: *const i64,
    pub(super) rank: usize,
    /// Nothing is borrowed where there is nothing.
    pub(super) lease: Option<Lease>,
    pub(super) contiguous: bool,
    pub(super) bytes: usize,
}

impl Elements {
    /// Checks the tensor and borrows its memory. `rank` and `dense` are what the caller needs.
    #[inline]
    pub(crate) fn borrow<T: TensorElement>(
        tensor: &Tensor,
        writable: bool,
        rank: Option<usize>,
        dense: bool,
        place: &'static Location<'static>,
    ) -> Result<Self> {
        let elements = Self::borrow_bits::<T>(tensor, writable, rank, dense, place)?;
        if T::CHECKED && elements.lease.is_some() && !elements.all_below_two() {
            return Err(explain::no_bools(tensor).at(place));
        }
        Ok(elements)
    }

    /// The same for memory that may hold what is no value of the type: it is written to, not read.
    #[inline]
    pub(crate) fn borrow_bits<T: TensorElement>(
        tensor: &Tensor,
        writable: bool,
        rank: Option<usize>,
        dense: bool,
        place: &'static Location<'static>,
    ) -> Result<Self> {
        let mut room = MaybeUninit::uninit();
        let memory = memory(tensor.handle(), if writable { Purpose::Write } else { Purpose::Read }, &mut room)
            .map_err(|error| error.at(place))?;
        if memory.problem != 0 {
            return Err(explain::problem(tensor, memory.problem, writable).at(place));
        }
        let kept = Kept(memory.storage);
        if memory.dtype != T::DTYPE.code() {
            return Err(explain::dtype(tensor, T::DTYPE, memory.dtype).at(place));
        }
        if let Some(rank) = rank.filter(|rank| *rank != memory.rank) {
            return Err(explain::rank(tensor, rank, memory.rank).at(place));
        }
        if dense && !memory.contiguous {
            return Err(explain::not_contiguous(tensor, writable).at(place));
        }
        let mut elements = Elements {
            first: align_of::<T>(),
            sizes: memory.sizes,
            strides: memory.strides,
            rank: memory.rank,
            lease: None,
            contiguous: memory.contiguous,
            bytes: memory.bytes,
        };
        if !memory.contiguous && (too_many(elements.sizes())) {
            return Err(explain::too_many(tensor).at(place));
        }
        if memory.empty {
            return Ok(elements);
        }
        if memory.data % align_of::<T>() != 0 {
            return Err(explain::misaligned(tensor, T::DTYPE, memory.data, align_of::<T>()).at(place));
        }
        if writable && !memory.contiguous && may_overlap(elements.sizes(), elements.strides()) {
            return Err(explain::overlaps(tensor).at(place));
        }
        elements.first = memory.data;
        let mut claim = Claim::solid(memory.data, memory.bytes, memory.storage, writable, Place::new(place));
        if !memory.contiguous {
            claim.leave_gaps(elements.steps(size_of::<T>()), size_of::<T>());
        }
        std::mem::forget(kept);
        // SAFETY: the reference that `memory` gave, which `kept` gives up; the bytes lie in that storage.
        match unsafe { Lease::new(&claim) } {
            Ok(Ok(lease)) => elements.lease = Some(lease),
            Ok(Err(clash)) => return Err(busy(tensor, &clash).at(place)),
            Err(error) => return Err(error.at(place)),
        }
        Ok(elements)
    }

    fn steps(&self, item: usize) -> impl Iterator<Item = Step> + '_ {
        self.sizes()
            .iter()
            .zip(self.strides())
            .map(move |(&count, &stride)| Step { count: count as usize, stride: stride as usize * item })
    }

    /// The address of the first.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The sizes: at least 0 each.
    #[inline]
    pub(crate) fn sizes(&self) -> &[i64] {
        // SAFETY: see `ints`; used before anything else is done with the tensor.
        unsafe { ints(self.sizes, self.rank) }
    }

    /// The strides in elements: at least 0 each.
    #[inline]
    pub(crate) fn strides(&self) -> &[i64] {
        // SAFETY: as above.
        unsafe { ints(self.strides, self.rank) }
    }

    /// Whether each byte is 0 or 1: what a Rust `bool` is.
    fn all_below_two(&self) -> bool {
        let first = self.first as *const u8;
        if self.contiguous {
            // SAFETY: borrowed, `bytes` long; any byte is a `u8`.
            return unsafe { std::slice::from_raw_parts(first, self.bytes) }.iter().fold(0, |all, byte| all | byte) < 2;
        }
        let steps: Vec<Step> = self.steps(1).filter(|step| step.count > 1 && step.stride > 0).collect();
        every_place(first, &steps)
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

#[inline]
fn memory<'r>(
    tensor: &TensorHandle,
    purpose: Purpose,
    room: &'r mut MaybeUninit<TensorMemory>,
) -> Result<&'r TensorMemory> {
    *room = MaybeUninit::zeroed();
    // SAFETY: zeroes are a value of it: numbers, null pointers, false.
    let memory = unsafe { room.assume_init_mut() };
    ffi::tensor_memory_quick(tensor, purpose as u8, memory);
    if memory.problem == THREW {
        ffi::tensor_memory(tensor, purpose as u8, memory).or_torch()?;
    }
    // A tensor subclass may answer this as it likes; what matters are the sizes and strides that we have.
    memory.contiguous = memory.empty || {
        // SAFETY: C++ has just given them; without problem.
        let (sizes, strides) = unsafe { (ints(memory.sizes, memory.rank), ints(memory.strides, memory.rank)) };
        one_after_the_other(sizes, strides)
    };
    Ok(memory)
}

/// Whether elements lie in row-major order without gaps.
#[inline]
fn one_after_the_other(sizes: &[i64], strides: &[i64]) -> bool {
    let mut next = 1;
    sizes.iter().zip(strides).rev().all(|(&size, &stride)| {
        let fits = size == 1 || stride == next;
        next = next.wrapping_mul(size); // no more than the storage has, while all strides fit
        fits
    })
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

/// Whether there are more elements than Rust can count. Only elements that share memory can be so many.
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
    Memory(Claim),
    /// That of other tensors.
    Parts,
    Nothing,
}

/// What stands in the way of code that reads a tensor's memory, or also `writes` to it. A sparse, nested or wrapped tensor is the
/// tensors that it is made of.
pub(crate) fn clash(tensor: &TensorHandle, writes: bool, place: &'static Location<'static>) -> Option<Clash> {
    match reach(tensor, writes, place) {
        Reach::Memory(claim) => conflict(&claim),
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
    let Ok(memory) = memory(tensor, Purpose::Operator, &mut room) else {
        return Reach::Nothing;
    };
    match memory.problem {
        0 => {}
        LAYOUT | NESTED | WRAPPER | NO_DATA => return Reach::Parts,
        _ => return Reach::Nothing,
    }
    let _kept = Kept(memory.storage);
    if memory.empty {
        // What has no elements is written to by giving it some: by resizing, which moves the memory of all that share it.
        let (mut begin, mut bytes) = (0, 0);
        if writable && ffi::tensor_storage_range(tensor, &mut begin, &mut bytes) {
            return Reach::Memory(Claim::solid(begin, bytes, memory.storage, true, Place::new(place)));
        }
        return Reach::Nothing;
    }
    let elements = Elements {
        first: memory.data,
        sizes: memory.sizes,
        strides: memory.strides,
        rank: memory.rank,
        lease: None,
        contiguous: memory.contiguous,
        bytes: memory.bytes,
    };
    let mut claim = Claim::solid(memory.data, memory.bytes, memory.storage, writable, Place::new(place));
    if !memory.contiguous {
        let item = ffi::tensor_item_size(tensor).unwrap_or(1);
        claim.leave_gaps(elements.steps(item), item);
    }
    Reach::Memory(claim)
}
