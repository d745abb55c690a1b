//! Element types of tensors.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

macro_rules! dtypes {
    ($($code:literal $name:ident $python:literal;)*) => {
        /// The element type of a tensor (`torch.dtype`, `c10::ScalarType`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum DType {
            $(#[doc = concat!("`torch.", $python, "`")] $name = $code,)*
            /// One that this version of torchop has no name for, by torch's number.
            Other(i8) = u8::MAX,
        }

        impl DType {
            #[inline]
            pub(crate) fn from_code(code: i8) -> Self {
                u16::try_from(code).ok().and_then(DType::named).unwrap_or(DType::Other(code))
            }

            /// `None` where the number has no name.
            #[inline]
            pub(crate) fn named(code: u16) -> Option<Self> {
                match code {
                    $($code => Some(DType::$name),)*
                    _ => None,
                }
            }

            /// The number of the type in torch (`c10::ScalarType`).
            #[inline]
            pub fn code(self) -> i8 {
                match self {
                    DType::Other(code) => unnamed(code),
                    // A match of all is a jump table to the compiler.
                    // SAFETY: an enum that is `repr(u8)` begins with its discriminant, which is the number where there is a name.
                    named => unsafe { *std::ptr::from_ref(&named).cast::<i8>() },
                }
            }

            /// The name in Python, without `torch.`.
            pub fn python_name(self) -> &'static str {
                match self {
                    $(DType::$name => $python,)*
                    DType::Other(_) => "a dtype without a name in torchop",
                }
            }

            /// All that have a name here, with their numbers.
            pub const ALL: &[DType] = &[$(DType::$name,)*];
        }
    };
}

// The numbers are those of c10::ScalarType; tests/python/test_tensors.py compares them with torch.
dtypes! {
    0 UInt8 "uint8";
    1 Int8 "int8";
    2 Int16 "int16";
    3 Int32 "int32";
    4 Int64 "int64";
    5 Float16 "float16";
    6 Float32 "float32";
    7 Float64 "float64";
    8 Complex32 "complex32";
    9 Complex64 "complex64";
    10 Complex128 "complex128";
    11 Bool "bool";
    12 QInt8 "qint8";
    13 QUInt8 "quint8";
    14 QInt32 "qint32";
    15 BFloat16 "bfloat16";
    16 QUInt4x2 "quint4x2";
    17 QUInt2x4 "quint2x4";
    18 Bits1x8 "bits1x8";
    19 Bits2x4 "bits2x4";
    20 Bits4x2 "bits4x2";
    21 Bits8 "bits8";
    22 Bits16 "bits16";
    23 Float8E5M2 "float8_e5m2";
    24 Float8E4M3Fn "float8_e4m3fn";
    25 Float8E5M2Fnuz "float8_e5m2fnuz";
    26 Float8E4M3Fnuz "float8_e4m3fnuz";
    27 UInt16 "uint16";
    28 UInt32 "uint32";
    29 UInt64 "uint64";
    30 UInt1 "uint1";
    31 UInt2 "uint2";
    32 UInt3 "uint3";
    33 UInt4 "uint4";
    34 UInt5 "uint5";
    35 UInt6 "uint6";
    36 UInt7 "uint7";
    37 Int1 "int1";
    38 Int2 "int2";
    39 Int3 "int3";
    40 Int4 "int4";
    41 Int5 "int5";
    42 Int6 "int6";
    43 Int7 "int7";
    44 Float8E8M0Fnu "float8_e8m0fnu";
    45 Float4E2M1FnX2 "float4_e2m1fn_x2";
    46 BComplex32 "bcomplex32";
}

impl DType {
    /// `torch.is_floating_point`, of a dtype: complex numbers are none.
    pub const fn is_floating_point(self) -> bool {
        matches!(
            self,
            DType::Float16
                | DType::Float32
                | DType::Float64
                | DType::BFloat16
                | DType::Float8E5M2
                | DType::Float8E4M3Fn
                | DType::Float8E5M2Fnuz
                | DType::Float8E4M3Fnuz
                | DType::Float8E8M0Fnu
                | DType::Float4E2M1FnX2
        )
    }

    /// `torch.is_complex`, of a dtype.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::Complex32 | DType::Complex64 | DType::Complex128 | DType::BComplex32)
    }
}

/// By the name in Python, with `torch.` or without.
impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.strip_prefix("torch.").unwrap_or(text);
        let found = DType::ALL.iter().copied().find(|known| known.python_name() == name);
        found.ok_or_else(|| Error::value(format!("there is no dtype `{text}`; expected one as `float32` or `int64`")))
    }
}

/// Kept out of the way of those that have a name.
#[cold]
#[inline(never)]
fn unnamed(code: i8) -> i8 {
    code
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DType::Other(code) => write!(f, "dtype number {code}"),
            named => f.write_str(named.python_name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for dtype in DType::ALL {
            assert_eq!(dtype.to_string().parse::<DType>().ok(), Some(*dtype));
            assert_eq!(format!("torch.{dtype}").parse::<DType>().ok(), Some(*dtype));
        }
        for wrong in ["", "f32", "Float32", "torch", "float32 "] {
            let error = wrong.parse::<DType>().err().map(|error| error.message().to_owned());
            assert_eq!(error, Some(format!("there is no dtype `{wrong}`; expected one as `float32` or `int64`")));
        }
    }
}
