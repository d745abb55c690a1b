//! The loops.

use super::functions::{ElementFn, ElementTypes};
use super::geometry::Walk;
use smallvec::SmallVec;
use std::mem::size_of;
use std::ops::Range;

type Addresses = SmallVec<[*const u8; 8]>;

/// The elements whose numbers are in `part`, counted from the fastest dimension on.
///
/// # Safety
/// The addresses and steps of `walk` lead to live elements of the types of `E`, and to elements of the output's type that
/// nobody else reads or writes.
pub(super) unsafe fn run<E: ElementTypes, F: ElementFn<E>>(walk: &Walk, part: Range<usize>, function: &F) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the machine has what the function is compiled for; the rest is promised by the caller.
        return unsafe { run_avx2::<E, F>(walk, part, function) };
    }
    // SAFETY: promised by the caller.
    unsafe { run_rows::<E, F>(walk, part, function) }
}

/// The same code for wider vectors: what is inlined here, the user's function among it, is compiled for them.
///
/// # Safety
/// As for [`run`], on a machine with AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<E: ElementTypes, F: ElementFn<E>>(walk: &Walk, part: Range<usize>, function: &F) {
    // SAFETY: promised by the caller.
    unsafe { run_rows::<E, F>(walk, part, function) }
}

/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn run_rows<E: ElementTypes, F: ElementFn<E>>(walk: &Walk, part: Range<usize>, function: &F) {
    let row = walk.sizes[0];
    let steps = &walk.steps[0];
    let dense = steps[0] == size_of::<F::Output>() as isize
        && steps[1..].iter().zip(E::ITEM_SIZES).all(|(step, size)| *step == *size as isize);
    let mut next = part.start;
    while next < part.end {
        let (in_row, mut rest) = (next % row, next / row);
        let count = (row - in_row).min(part.end - next);
        let mut addresses: Addresses = walk.first.iter().map(|first| *first as *const u8).collect();
        for (operand, address) in addresses.iter_mut().enumerate() {
            *address = address.wrapping_offset(steps[operand] * in_row as isize);
        }
        for (dim, size) in walk.sizes.iter().enumerate().skip(1) {
            let index = rest % size;
            rest /= size;
            for (operand, address) in addresses.iter_mut().enumerate() {
                *address = address.wrapping_offset(walk.steps[dim][operand] * index as isize);
            }
        }
        let result = addresses[0].cast_mut().cast::<F::Output>();
        let inputs = E::pointers(&addresses[1..]);
        if dense {
            for n in 0..count {
                // SAFETY: `count` elements lie side by side there, in each operand.
                unsafe { result.add(n).write(function.call(E::read_dense(inputs, n))) }
            }
        } else {
            let (to_step, steps) = (steps[0], E::steps(&steps[1..]));
            for n in 0..count {
                // SAFETY: an element of each operand.
                unsafe {
                    let value = function.call(E::read_strided(inputs, &steps, n));
                    result.byte_offset(to_step * n as isize).write(value);
                }
            }
        }
        next += count;
    }
}
