//! Functions of one to six elements.

use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::{Elements, Tensor, TensorElement};
use std::mem::size_of;
use std::panic::Location;

mod sealed {
    pub trait Sealed {}
}

/// The types of a function's arguments, as a tuple.
pub trait ElementTypes: Sized + sealed::Sealed + 'static {
    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    const DTYPES: &'static [DType];
    #[doc(hidden)]
    const ITEM_SIZES: &'static [usize];
    /// Checks and borrows the `n`th input.
    #[doc(hidden)]
    fn borrow(n: usize, tensor: &Tensor, place: &'static Location<'static>) -> Result<Elements>;
    /// The addresses, typed: the compiler knows that writing the result does not change them.
    #[doc(hidden)]
    type Pointers: Copy;
    #[doc(hidden)]
    fn pointers(addresses: &[*const u8]) -> Self::Pointers;
    /// The elements that lie `n` further on.
    ///
    /// # Safety
    /// Each is the address of an element of its type, and so is the one `n` further on.
    #[doc(hidden)]
    unsafe fn read_dense(pointers: Self::Pointers, n: usize) -> Self;
    /// The elements that lie `n` steps, in bytes, further on.
    ///
    /// # Safety
    /// Each is the address of an element of its type, and so is the one `n` steps further on; there are `COUNT` steps.
    #[doc(hidden)]
    unsafe fn read_strided(pointers: Self::Pointers, steps: &[isize], n: usize) -> Self;
}

/// A function of elements: any `Fn(A, B, …) -> R` of one to six [`TensorElement`]s.
pub trait ElementFn<E>: Sync {
    /// What it gives.
    type Output: TensorElement;
    #[doc(hidden)]
    fn call(&self, elements: E) -> Self::Output;
}

macro_rules! functions {
    ($count:literal: $($type:ident $position:tt)*) => {
        impl<$($type: TensorElement),*> sealed::Sealed for ($($type,)*) {}

        impl<$($type: TensorElement),*> ElementTypes for ($($type,)*) {
            const COUNT: usize = $count;
            const DTYPES: &'static [DType] = &[$($type::DTYPE),*];
            const ITEM_SIZES: &'static [usize] = &[$(size_of::<$type>()),*];
            fn borrow(n: usize, tensor: &Tensor, place: &'static Location<'static>) -> Result<Elements> {
                match n {
                    $($position => Elements::read::<$type>(tensor, None, false, place),)*
                    _ => Err(crate::error::Error::runtime("more inputs than arguments")),
                }
            }
            type Pointers = ($(*const $type,)*);
            #[inline(always)]
            fn pointers(addresses: &[*const u8]) -> Self::Pointers {
                ($(addresses[$position].cast::<$type>(),)*)
            }
            #[inline(always)]
            unsafe fn read_dense(pointers: Self::Pointers, n: usize) -> Self {
                // SAFETY: promised by the caller.
                unsafe { ($(pointers.$position.add(n).read(),)*) }
            }
            #[inline(always)]
            unsafe fn read_strided(pointers: Self::Pointers, steps: &[isize], n: usize) -> Self {
                // SAFETY: promised by the caller.
                unsafe { ($(pointers.$position.byte_offset(steps[$position] * n as isize).read(),)*) }
            }
        }

        impl<$($type: TensorElement,)* R: TensorElement, F: Fn($($type),*) -> R + Sync> ElementFn<($($type,)*)> for F {
            type Output = R;
            #[inline(always)]
            fn call(&self, elements: ($($type,)*)) -> R {
                self($(elements.$position),*)
            }
        }
    };
}

functions!(1: A 0);
functions!(2: A 0 B 1);
functions!(3: A 0 B 1 C 2);
functions!(4: A 0 B 1 C 2 D 3);
functions!(5: A 0 B 1 C 2 D 3 G 4);
functions!(6: A 0 B 1 C 2 D 3 G 4 H 5);
