//! Functions of one to six elements, or of an array of them.

use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::{Elements, Tensor, TensorElement};
use std::mem::size_of;
use std::panic::Location;

mod sealed {
    pub trait Sealed {}
}

/// The types of a function's arguments: a tuple, or an array.
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
    /// How far the elements of each input are apart, in bytes; by value, for the same reason.
    #[doc(hidden)]
    type Steps;
    #[doc(hidden)]
    fn steps(steps: &[isize]) -> Self::Steps;
    /// The elements that lie `n` further on.
    ///
    /// # Safety
    /// Each is the address of an element of its type, and so is the one `n` further on.
    #[doc(hidden)]
    unsafe fn read_dense(pointers: Self::Pointers, n: usize) -> Self;
    /// The elements that lie `n` steps, in bytes, further on.
    ///
    /// # Safety
    /// Each is the address of an element of its type, and so is the one `n` steps further on.
    #[doc(hidden)]
    unsafe fn read_strided(pointers: Self::Pointers, steps: &Self::Steps, n: usize) -> Self;
}

/// A function of elements: any `Fn(A, B, …) -> R` of one to six [`TensorElement`]s, or `Fn([A; N]) -> R` of any number of one type.
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
            type Steps = [isize; $count];
            #[inline(always)]
            fn steps(steps: &[isize]) -> Self::Steps {
                std::array::from_fn(|input| steps[input])
            }
            #[inline(always)]
            unsafe fn read_dense(pointers: Self::Pointers, n: usize) -> Self {
                // SAFETY: promised by the caller.
                unsafe { ($(pointers.$position.add(n).read(),)*) }
            }
            #[inline(always)]
            unsafe fn read_strided(pointers: Self::Pointers, steps: &Self::Steps, n: usize) -> Self {
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

impl<T: TensorElement, const N: usize> sealed::Sealed for [T; N] {}

impl<T: TensorElement, const N: usize> ElementTypes for [T; N] {
    const COUNT: usize = N;
    const DTYPES: &'static [DType] = &[T::DTYPE; N];
    const ITEM_SIZES: &'static [usize] = &[size_of::<T>(); N];
    fn borrow(_: usize, tensor: &Tensor, place: &'static Location<'static>) -> Result<Elements> {
        Elements::read::<T>(tensor, None, false, place)
    }
    type Pointers = [*const T; N];
    #[inline(always)]
    fn pointers(addresses: &[*const u8]) -> Self::Pointers {
        std::array::from_fn(|input| addresses[input].cast())
    }
    type Steps = [isize; N];
    #[inline(always)]
    fn steps(steps: &[isize]) -> Self::Steps {
        std::array::from_fn(|input| steps[input])
    }
    #[inline(always)]
    unsafe fn read_dense(pointers: Self::Pointers, n: usize) -> Self {
        // SAFETY: promised by the caller.
        pointers.map(|pointer| unsafe { pointer.add(n).read() })
    }
    #[inline(always)]
    unsafe fn read_strided(pointers: Self::Pointers, steps: &Self::Steps, n: usize) -> Self {
        // SAFETY: promised by the caller.
        std::array::from_fn(|input| unsafe { pointers[input].byte_offset(steps[input] * n as isize).read() })
    }
}

impl<T: TensorElement, const N: usize, R: TensorElement, F: Fn([T; N]) -> R + Sync> ElementFn<[T; N]> for F {
    type Output = R;
    #[inline(always)]
    fn call(&self, elements: [T; N]) -> R {
        self(elements)
    }
}

functions!(1: A 0);
functions!(2: A 0 B 1);
functions!(3: A 0 B 1 C 2);
functions!(4: A 0 B 1 C 2 D 3);
functions!(5: A 0 B 1 C 2 D 3 G 4);
functions!(6: A 0 B 1 C 2 D 3 G 4 H 5);
