//! A tensor's plain metadata, read where they lie: what C++ does inline, without a call.

use crate::types::TensorHandle;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Offsets in torch's tensor, in bytes; `Fields` in cpp/fields.cpp.
#[repr(C)]
struct Fields {
    /// 0: nothing is known.
    known: u32,
    rank: u32,
    sizes: u32,
    strides: u32,
    numel: u32,
    offset: u32,
    dtype: u32,
    custom_at: u32,
    contiguous_at: u32,
    custom: u8,
    contiguous: u8,
}

unsafe extern "C" {
    /// Filled before any code of Rust runs, and never changed.
    static torchop_fields: Fields;
}

/// So many sizes and strides lie in the tensor itself (asserted in cpp/fields.cpp).
pub const PLACES: usize = 5;

/// A tensor whose sizes are numbers, read as C++ reads them. Each read is a read of now, since another handle may resize the tensor
/// in between: what is read are numbers, and never an address.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'t>(&'t TensorHandle);

impl TensorHandle {
    #[inline]
    fn field<T>(&self, offset: u32) -> *const T {
        (self.bits() as *const u8).wrapping_add(offset as usize).cast()
    }

    /// Its metadata where they lie; `None` if somebody else has to say: symbols, tensors of Python's or of other classes.
    #[inline]
    pub fn plain(&self) -> Option<Plain<'_>> {
        let fields = fields();
        // SAFETY: the handle is a live tensor's address, and `fields` says what lies in it where.
        let custom = || unsafe { *self.field::<u8>(fields.custom_at) };
        (fields.known != 0 && custom() & fields.custom == 0).then_some(Plain(self))
    }

    /// The number of its dtype; `None` if it has to be asked for.
    #[inline]
    pub fn plain_dtype(&self) -> Option<i8> {
        let fields = fields();
        if fields.known == 0 {
            return None;
        }
        // SAFETY: as in `plain`.
        let code = unsafe { *self.field::<u16>(fields.dtype) };
        i8::try_from(code).ok()
    }
}

#[inline]
fn fields() -> &'static Fields {
    // SAFETY: plain numbers that the bridge fills when it is loaded.
    unsafe { &torchop_fields }
}

impl Plain<'_> {
    #[inline]
    fn number(self, offset: u32, index: usize) -> i64 {
        // SAFETY: the tensor is live, and there is a number at this offset and index (`TensorHandle::plain`); it is aligned as in C++.
        unsafe { *self.0.field::<i64>(offset).add(index) }
    }

    /// The number of dimensions.
    #[inline]
    pub fn rank(self) -> usize {
        // SAFETY: as in `number`. Read once and for all: it is compared with what it is an index for.
        unsafe { AtomicUsize::from_ptr(self.0.field::<usize>(fields().rank).cast_mut()).load(Relaxed) }
    }

    /// The size of the dimension, which counts from the end if negative; `None` if there is no such dimension, or too many.
    #[inline]
    pub fn size(self, dim: i64) -> Option<i64> {
        self.index(dim).map(|index| self.number(fields().sizes, index))
    }

    /// The stride of the dimension, likewise.
    #[inline]
    pub fn stride(self, dim: i64) -> Option<i64> {
        self.index(dim).map(|index| self.number(fields().strides, index))
    }

    #[inline]
    fn index(self, dim: i64) -> Option<usize> {
        let rank = self.rank();
        let index = if dim < 0 { dim.wrapping_add(rank as i64) } else { dim } as usize;
        (index < rank && rank <= PLACES).then_some(index)
    }

    /// Sizes, in the first of these places, and how many there are; `None` if there are too many.
    #[inline]
    pub fn sizes(self) -> Option<([i64; PLACES], usize)> {
        self.places(fields().sizes)
    }

    /// Strides, likewise.
    #[inline]
    pub fn strides(self) -> Option<([i64; PLACES], usize)> {
        self.places(fields().strides)
    }

    #[inline]
    fn places(self, offset: u32) -> Option<([i64; PLACES], usize)> {
        let rank = self.rank();
        // SAFETY: as in `number`; all places are there, whatever the rank.
        (rank <= PLACES).then(|| (unsafe { *self.0.field::<[i64; PLACES]>(offset) }, rank))
    }

    /// The number of elements.
    #[inline]
    pub fn numel(self) -> i64 {
        self.number(fields().numel, 0)
    }

    /// Where the first element lies in the storage, in elements.
    #[inline]
    pub fn offset(self) -> i64 {
        self.number(fields().offset, 0)
    }

    /// Whether the elements lie one after the other in row-major order.
    #[inline]
    pub fn is_contiguous(self) -> bool {
        let fields = fields();
        // SAFETY: as in `number`.
        unsafe { *self.0.field::<u8>(fields.contiguous_at) & fields.contiguous != 0 }
    }
}
