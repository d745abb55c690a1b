//! Functions of one to six elements.

use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::{Elements, Tensor, TensorElement};
use std::mem::size_of;
use std::panic::Location;

/// The types of a function's arguments, as a tuple.
pub trait ElementTypes: Sized + 'static {
    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    const DTYPES: &'static [DType];
    #[doc(hidden)]
    const ITEM_SIZES: &'static [usize];
    /// Checks and borrows the `n`th input.
    #[doc(hidden)]
    fn borrow(n: usize, tensor: &Tensor, place: &'static Location<'static>) -> Result<Elements>;
    /// The elements at these addresses.
    ///
    /// # Safety
    /// Each is the address of an element of its type; there are `COUNT` of them.
    #[doc(hidden)]
    unsafe fn read(addresses: &[*const u8]) -> Self;
    /// The elements `n` further on.
    ///
    /// # Safety
    /// As for `read`, for the elements there.
    #[doc(hidden)]
    unsafe fn read_dense(addresses: &[*const u8], n: usize) -> Self;
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
        impl<$($type: TensorElement),*> ElementTypes for ($($type,)*) {
            const COUNT: usize = $count;
            const DTYPES: &'static [DType] = &[$($type::DTYPE),*];
            const ITEM_SIZES: &'static [usize] = &[$(size_of::<$type>()),*];
            fn borrow(n: usize, tensor: &Tensor, place: &'static Location<'static>) -> Result<Elements> {
                match n {
                    $($position => Elements::borrow::<$type>(tensor, false, None, false, place),)*
                    _ => Err(crate::error::Error::runtime("more inputs than arguments")),
                }
            }
            #[inline(always)]
            unsafe fn read(addresses: &[*const u8]) -> Self {
                // SAFETY: promised by the caller.
                unsafe { ($(addresses.get_unchecked($position).cast::<$type>().read(),)*) }
            }
            #[inline(always)]
            unsafe fn read_dense(addresses: &[*const u8], n: usize) -> Self {
                // SAFETY: promised by the caller.
                unsafe { ($(addresses.get_unchecked($position).cast::<$type>().add(n).read(),)*) }
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
