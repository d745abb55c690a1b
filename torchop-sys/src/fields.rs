//! A tensor's plain metadata, read where they lie: what C++ does inline, without a call.

use crate::ffi;
use crate::types::TensorHandle;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Offsets in torch's tensor, in bytes, and bits of the byte there; `Fields` in cpp/fields.h.
#[repr(C)]
struct Fields {
    rank: u32,
    sizes: u32,
    strides: u32,
    numel: u32,
    offset: u32,
    dtype: u32,
    device: u32,
    autograd: u32,
    custom_at: u32,
    contiguous_at: u32,
    device_given_at: u32,
    device_custom_at: u32,
    custom: u32,
    contiguous: u32,
    device_given: u32,
    device_custom: u32,
    /// In torch's storage.
    resizable: u32,
}

/// Of the torch that the bridge is compiled against, found by the build script; `None` where it found nothing: then torch is asked.
const FOUND: Option<Fields> = include!(concat!(env!("OUT_DIR"), "/fields.rs"));

/// Whether metadata are read in place at all.
pub const FIELDS_KNOWN: bool = FOUND.is_some();

#[rustfmt::skip]
const AT: Fields = match FOUND {
    Some(fields) => fields,
    None => Fields {
        rank: 0, sizes: 0, strides: 0, numel: 0, offset: 0, dtype: 0, device: 0, autograd: 0, custom_at: 0, contiguous_at: 0,
        device_given_at: 0, device_custom_at: 0, custom: 0, contiguous: 0, device_given: 0, device_custom: 0, resizable: 0,
    },
};

unsafe extern "C" {
    /// Whether a tensor of the torch that is loaded has its fields there.
    fn torchop_fields_hold(fields: &Fields) -> bool;
}

/// Whether the torch that is loaded lays its tensors out as the headers say. To be asked once, before anything else.
pub fn fields_hold() -> bool {
    // SAFETY: the bridge reads its argument and a tensor of its own.
    !FIELDS_KNOWN || unsafe { torchop_fields_hold(&AT) }
}

/// So many sizes and strides lie in the tensor itself (asserted in cpp/fields.h).
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

    #[inline]
    fn bits_at(&self, offset: u32, bits: u32) -> bool {
        // SAFETY: the handle is a live tensor's address, and there is a byte of flags at this offset.
        let flags = unsafe { *self.field::<u8>(offset) };
        flags & bits as u8 != 0
    }

    /// Its metadata where they lie; `None` if somebody else has to say: symbols, tensors of Python's or of other classes.
    #[inline]
    pub fn plain(&self) -> Option<Plain<'_>> {
        (FIELDS_KNOWN && !self.bits_at(AT.custom_at, AT.custom)).then_some(Plain(self))
    }

    /// The number of its dtype; `None` if it has to be asked for.
    #[inline]
    pub fn plain_dtype(&self) -> Option<u16> {
        // SAFETY: the handle is a live tensor's address, and the number lies at this offset.
        FIELDS_KNOWN.then(|| unsafe { *self.field::<u16>(AT.dtype) })
    }

    /// The numbers of its device: kind and index; `None` if they have to be asked for.
    #[inline]
    pub fn plain_device(&self) -> Option<[i8; 2]> {
        let known = FIELDS_KNOWN
            && !self.bits_at(AT.device_custom_at, AT.device_custom)
            && self.bits_at(AT.device_given_at, AT.device_given);
        // SAFETY: as in `plain_dtype`.
        known.then(|| unsafe { *self.field::<[i8; 2]>(AT.device) })
    }

    /// Whether it has nothing of autograd's, and hence no gradient; `false` if that is not known.
    #[inline]
    pub fn is_plainly_without_gradient(&self) -> bool {
        // SAFETY: as in `plain_dtype`; a pointer, which is not followed.
        FIELDS_KNOWN && unsafe { self.field::<usize>(AT.autograd).read() } == 0
    }
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
        unsafe { AtomicUsize::from_ptr(self.0.field::<usize>(AT.rank).cast_mut()).load(Relaxed) }
    }

    /// The size of the dimension, which counts from the end if negative; `None` if there is no such dimension, or too many.
    #[inline]
    pub fn size(self, dim: i64) -> Option<i64> {
        self.index(dim).map(|index| self.number(AT.sizes, index))
    }

    /// The stride of the dimension, likewise.
    #[inline]
    pub fn stride(self, dim: i64) -> Option<i64> {
        self.index(dim).map(|index| self.number(AT.strides, index))
    }

    #[inline]
    fn index(self, dim: i64) -> Option<usize> {
        let rank = self.rank();
        let index = if dim < 0 { dim.wrapping_add(rank as i64) } else { dim } as usize;
        (index < rank && rank <= PLACES).then_some(index)
    }

    /// Sizes, in the first `rank` of these places. Whoever asks has seen that the rank is not more.
    #[inline]
    pub fn sizes(self) -> [i64; PLACES] {
        self.places(AT.sizes)
    }

    /// Strides, likewise.
    #[inline]
    pub fn strides(self) -> [i64; PLACES] {
        self.places(AT.strides)
    }

    /// Number by number, so that the compiler need not keep a copy in memory.
    #[inline]
    fn places(self, offset: u32) -> [i64; PLACES] {
        [0, 1, 2, 3, 4].map(|index| self.number(offset, index))
    }

    /// Where the sizes are: [`PLACES`] numbers, as long as the tensor lives.
    #[inline]
    pub fn size_places(self) -> NonNull<i64> {
        self.start(AT.sizes)
    }

    /// Where the strides are, likewise.
    #[inline]
    pub fn stride_places(self) -> NonNull<i64> {
        self.start(AT.strides)
    }

    #[inline]
    fn start(self, offset: u32) -> NonNull<i64> {
        // SAFETY: inside a live tensor, which is not at address 0.
        unsafe { NonNull::new_unchecked(self.0.field::<i64>(offset).cast_mut()) }
    }

    /// The number of elements.
    #[inline]
    pub fn numel(self) -> i64 {
        self.number(AT.numel, 0)
    }

    /// Where the first element lies in the storage, in elements.
    #[inline]
    pub fn offset(self) -> i64 {
        self.number(AT.offset, 0)
    }

    /// Whether the elements lie one after the other in row-major order.
    #[inline]
    pub fn is_contiguous(self) -> bool {
        self.0.bits_at(AT.contiguous_at, AT.contiguous)
    }
}

/// Makes torch refuse to resize a storage; false if it refused before.
///
/// # Safety
/// The address is that of a live storage.
#[inline]
pub unsafe fn storage_pin(storage: usize) -> bool {
    if !FIELDS_KNOWN {
        // SAFETY: the caller's promise.
        return unsafe { ffi::storage_pin(storage) };
    }
    // SAFETY: the caller's promise.
    let resizable = unsafe { resizable(storage) };
    let pins = resizable.load(Relaxed);
    if pins {
        resizable.store(false, Relaxed);
    }
    pins
}

/// Undoes a [`storage_pin`] that was not in vain.
///
/// # Safety
/// As there; the storage was pinned since.
#[inline]
pub unsafe fn storage_unpin(storage: usize) {
    // SAFETY: the caller's promise.
    unsafe { if FIELDS_KNOWN { resizable(storage).store(true, Relaxed) } else { ffi::storage_unpin(storage) } }
}

/// # Safety
/// The address is that of a storage that lives for `'s`, and `FIELDS_KNOWN`.
#[inline]
unsafe fn resizable<'s>(storage: usize) -> &'s AtomicBool {
    // SAFETY: the caller's promise; C++ reads and writes one byte there, which is 0 or 1.
    unsafe { AtomicBool::from_ptr((storage + AT.resizable as usize) as *mut bool) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = size_of::<Fields>() / size_of::<u32>();

    #[test]
    fn fields_are_found_and_others_refused() {
        assert!(std::hint::black_box(FIELDS_KNOWN));
        assert!(fields_hold());
        // SAFETY: that many numbers, as `repr(C)` lays them out.
        let found: [u32; COUNT] = unsafe { std::ptr::from_ref(&AT).cast::<[u32; COUNT]>().read() };
        for place in 0..COUNT {
            let mut wrong = found;
            wrong[place] += 1;
            // SAFETY: as above, the other way round; offsets that are one too large still lie in the tensor.
            assert!(!unsafe { torchop_fields_hold(&*wrong.as_ptr().cast()) }, "number {place} of {found:?}");
        }
    }
}
