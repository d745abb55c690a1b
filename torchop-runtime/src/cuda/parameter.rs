//! What a kernel can take, and how it is laid out for the launch.

use super::geometry::Geometry;
use super::stream::CUDA;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, OrTorch as _, Result};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::marker::PhantomData;
use torchop_sys::ffi;

/// A type in a kernel's declaration.
///
/// | Rust | CUDA C++ | given at the launch |
/// |---|---|---|
/// | `In<T>` | `const T*` | `&Tensor` |
/// | `Out<T>` | `T*` | `&mut Tensor` |
/// | `InView<T, MAX>` | `torchop::View<const T, MAX>` | `&Tensor` |
/// | `OutView<T, MAX>` | `torchop::View<T, MAX>` | `&mut Tensor` |
/// | `Geometry<MAX>` | `torchop::Geometry<MAX>` | the same |
/// | `i32`, `u32`, `i64`, `u64`, `f32`, `f64` | `int`, `unsigned`, `long long`, `unsigned long long`, `float`, `double` | the same |
/// | `[T; N]` of these | `torchop::Array<T, N>` | the same |
///
/// `T` is a type of elements, which the tensor must have, or [`Any`]. `MAX` dimensions are 8 unless said.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a CUDA kernel",
    label = "not a parameter type",
    note = "a tensor is `In<f32>`, `Out<f32>`, `InView<f32>` or `OutView<f32>`; others are `Geometry`, `i32`, `u32`, `i64`, `u64`, `f32`, `f64` and arrays of numbers"
)]
pub trait Parameter {
    /// Bytes of the parameter.
    #[doc(hidden)]
    const SIZE: usize;
    /// What the launch is given for it.
    type Given<'a>;
    #[doc(hidden)]
    fn put(given: Self::Given<'_>, packed: &mut Packed) -> Result<()>;
}

/// Elements of any type, for kernels that are told the type or size otherwise.
#[derive(Debug)]
pub enum Any {}
/// `torch.float16`, `__half`.
#[derive(Debug)]
pub enum F16 {}
/// `torch.bfloat16`, `__nv_bfloat16`.
#[derive(Debug)]
pub enum BF16 {}

/// A type of elements in a kernel's declaration.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a tensor's elements",
    note = "elements are `f32`, `f64`, `F16`, `BF16`, integers, `bool`, `Complex64`, or `Any` where the kernel is told otherwise"
)]
pub trait Elements {
    /// What the tensor must have; any if none is said.
    #[doc(hidden)]
    const DTYPE: Option<DType>;
}

macro_rules! elements {
    ($($type:ty => $dtype:expr;)*) => { $(impl Elements for $type { const DTYPE: Option<DType> = $dtype; })* };
}
elements! {
    Any => None;
    bool => Some(DType::Bool);
    u8 => Some(DType::UInt8);
    u16 => Some(DType::UInt16);
    u32 => Some(DType::UInt32);
    u64 => Some(DType::UInt64);
    i8 => Some(DType::Int8);
    i16 => Some(DType::Int16);
    i32 => Some(DType::Int32);
    i64 => Some(DType::Int64);
    F16 => Some(DType::Float16);
    BF16 => Some(DType::BFloat16);
    f32 => Some(DType::Float32);
    f64 => Some(DType::Float64);
    crate::Complex64 => Some(DType::Complex128);
}

/// A tensor that the kernel reads: its address.
#[derive(Debug)]
pub struct In<T = Any>(PhantomData<T>);
/// A tensor that the kernel writes: its address.
#[derive(Debug)]
pub struct Out<T = Any>(PhantomData<T>);
/// A tensor that the kernel reads: address, sizes and strides.
#[derive(Debug)]
pub struct InView<T = Any, const MAX: usize = 8>(PhantomData<T>);
/// A tensor that the kernel writes: address, sizes and strides.
#[derive(Debug)]
pub struct OutView<T = Any, const MAX: usize = 8>(PhantomData<T>);

/// The parameters of a launch, by value, side by side.
#[derive(Debug, Default)]
pub struct Packed {
    words: SmallVec<[i64; 64]>,
    starts: SmallVec<[u16; 16]>,
    /// The card of the first tensor.
    device: Option<i8>,
    /// The position of the parameter that did not fit.
    pub(super) failed: usize,
}

impl Packed {
    pub(super) fn device(&self) -> Option<i8> {
        self.device
    }

    /// Pointers to the parameters, as the driver takes them. They hold while nothing is added.
    pub(super) fn pointers(&mut self) -> SmallVec<[*mut c_void; 16]> {
        let base = self.words.as_mut_ptr();
        // SAFETY: every start is a place in the vector, or its end for an empty parameter.
        self.starts.iter().map(|&start| unsafe { base.add(usize::from(start)) }.cast()).collect()
    }

    fn start(&mut self) {
        self.starts.push(self.words.len() as u16);
    }

    /// The address of the tensor's first element.
    fn tensor(&mut self, tensor: &Tensor, written: bool, wanted: Option<DType>) -> Result<()> {
        const STRIDED: i64 = 0;
        let mut memory = [0; 6];
        ffi::tensor_device_memory(tensor.handle(), written, &mut memory).or_torch()?;
        let [address, kind, index, dtype, layout, elements] = memory;
        let device = Device::from_codes(kind as i8, index as i8);
        if kind != i64::from(CUDA) {
            let expected =
                self.device.map_or("a CUDA device".into(), |index| format!("cuda:{index}, as those before it"));
            return Err(Error::runtime(format!("expected a tensor on {expected}, found one on {device}")));
        }
        match self.device {
            None => self.device = Some(index as i8),
            Some(first) if first == index as i8 => {}
            Some(first) => {
                return Err(Error::runtime(format!("expected all tensors on cuda:{first}, found one on {device}")));
            }
        }
        let dtype = DType::from_code(dtype as i8);
        if wanted.is_some_and(|wanted| wanted != dtype) {
            let wanted = wanted.map(DType::python_name).unwrap_or_default();
            return Err(Error::type_error(format!("expected a {wanted} tensor, found {dtype}")));
        }
        if layout != STRIDED || (address == 0 && elements != 0) {
            return Err(Error::runtime("the tensor has no memory that a kernel can use"));
        }
        self.words.push(address);
        Ok(())
    }

    fn geometry<const MAX: usize>(&mut self, geometry: &Geometry<MAX>) {
        let (dim, sizes, strides) = geometry.parts();
        self.words.push(dim);
        self.words.extend_from_slice(sizes);
        self.words.extend_from_slice(strides);
    }
}

macro_rules! tensors {
    ($($name:ident $view:ident $given:ty, $written:literal;)*) => {$(
        impl<T: Elements> Parameter for $name<T> {
            const SIZE: usize = 8;
            type Given<'a> = $given;
            #[inline]
            fn put(given: Self::Given<'_>, packed: &mut Packed) -> Result<()> {
                packed.start();
                packed.tensor(given, $written, T::DTYPE)
            }
        }

        impl<T: Elements, const MAX: usize> Parameter for $view<T, MAX> {
            const SIZE: usize = 8 + size_of::<Geometry<MAX>>();
            type Given<'a> = $given;
            fn put(given: Self::Given<'_>, packed: &mut Packed) -> Result<()> {
                packed.start();
                packed.tensor(given, $written, T::DTYPE)?;
                packed.geometry(&Geometry::<MAX>::new(&given.sizes()?, &given.strides()?)?);
                Ok(())
            }
        }
    )*};
}
tensors! {
    In InView &'a Tensor, false;
    Out OutView &'a mut Tensor, true;
}

impl<const MAX: usize> Parameter for Geometry<MAX> {
    const SIZE: usize = size_of::<Geometry<MAX>>();
    type Given<'a> = Self;
    #[inline]
    fn put(given: Self, packed: &mut Packed) -> Result<()> {
        packed.start();
        packed.geometry(&given);
        Ok(())
    }
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Parameter for $type {
            const SIZE: usize = size_of::<$type>();
            type Given<'a> = $type;
            #[inline]
            fn put(given: $type, packed: &mut Packed) -> Result<()> {
                <[$type; 1]>::put([given], packed)
            }
        }

        impl<const N: usize> Parameter for [$type; N] {
            const SIZE: usize = size_of::<[$type; N]>();
            type Given<'a> = [$type; N];
            #[inline]
            fn put(given: [$type; N], packed: &mut Packed) -> Result<()> {
                packed.start();
                // Little-endian numbers side by side, as a C array: the kernel reads as many bytes as it was declared with.
                let mut word = [0_u8; 8];
                let each = size_of::<$type>();
                for (index, number) in given.iter().enumerate() {
                    let place = index * each % 8;
                    word[place..place + each].copy_from_slice(&number.to_ne_bytes());
                    if place + each == 8 || index + 1 == N {
                        packed.words.push(i64::from_ne_bytes(word));
                        word = [0; 8];
                    }
                }
                Ok(())
            }
        }
    )*};
}
numbers!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// The parameters of a kernel: a tuple of up to 16.
pub trait Parameters {
    /// What the launch is given.
    type Given<'a>;
    #[doc(hidden)]
    fn pack(given: Self::Given<'_>, packed: &mut Packed) -> Result<()>;
}

macro_rules! parameters {
    ($($type:ident $position:tt)*) => {
        impl<$($type: Parameter),*> Parameters for ($($type,)*) {
            type Given<'a> = ($($type::Given<'a>,)*);
            #[allow(unused_variables)]
            #[inline]
            fn pack(given: Self::Given<'_>, packed: &mut Packed) -> Result<()> {
                $(
                    packed.failed = $position;
                    $type::put(given.$position, packed)?;
                )*
                Ok(())
            }
        }
    };
}
macro_rules! parameters_up_to {
    ($(($($type:ident $position:tt)*))*) => { $(parameters!($($type $position)*);)* };
}
parameters_up_to! {
    ()
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15)
}
