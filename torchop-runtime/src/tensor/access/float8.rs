//! Floating point numbers of one byte, as torch has them. They are stored and converted, not computed with.

use std::fmt;

/// How the bits of a format are meant.
struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    kind: Kind,
}

#[derive(PartialEq)]
enum Kind {
    /// Infinities and NaNs as in IEEE 754.
    Ieee,
    /// No infinities; all ones is NaN.
    Finite,
    /// No infinities and no negative zero, whose bits are NaN.
    FiniteUnsignedZero,
}

impl Format {
    fn decode(&self, bits: u8) -> f32 {
        let negative = bits & 0x80 != 0;
        let mantissa = u32::from(bits) & ((1 << self.mantissa) - 1);
        let exponent = u32::from(bits & 0x7f) >> self.mantissa;
        let top = (1 << self.exponent) - 1;
        let nan = match self.kind {
            Kind::Ieee => exponent == top && mantissa != 0,
            Kind::Finite => bits & 0x7f == 0x7f,
            Kind::FiniteUnsignedZero => bits == 0x80,
        };
        if nan {
            return f32::NAN;
        }
        let size = if self.kind == Kind::Ieee && exponent == top {
            f32::INFINITY
        } else {
            // A number below the smallest normal one has no hidden bit.
            let (whole, power) = if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << self.mantissa, exponent) };
            whole as f32 * 2_f32.powi(power as i32 - self.bias - self.mantissa as i32)
        };
        if negative { -size } else { size }
    }

    /// To the nearest, ties to even. What is too large becomes what it becomes in torch: infinity, the largest number (older
    /// releases of torch gave NaN), or NaN.
    fn encode(&self, value: f32) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let nan = match self.kind {
            Kind::Ieee => 0x7f | sign,
            Kind::Finite => 0x7f | sign,
            Kind::FiniteUnsignedZero => 0x80,
        };
        if value.is_nan() {
            return nan;
        }
        let size = f64::from(value.abs());
        // The distance between neighbours where the value lies.
        let smallest = 1 - self.bias;
        let power = if size == 0.0 { smallest } else { (size.log2().floor() as i32).max(smallest) };
        // log2 may round up to the next power.
        let power = if size < 2_f64.powi(power) && power > smallest { power - 1 } else { power };
        let steps = size / 2_f64.powi(power - self.mantissa as i32);
        // At most 2^(mantissa + 1), which is the next power's first.
        let steps = if size.is_finite() { steps.round_ties_even() as u64 } else { u64::MAX };
        let bits = (steps != u64::MAX)
            .then(|| u64::from((power - smallest) as u32) << self.mantissa)
            .and_then(|bits| bits.checked_add(steps));
        let infinity = ((1 << self.exponent) - 1) << self.mantissa;
        let overflow = match self.kind {
            Kind::Ieee => infinity,
            Kind::Finite => 0x7f,
            Kind::FiniteUnsignedZero => 0x80,
        };
        match bits {
            Some(0) if self.kind == Kind::FiniteUnsignedZero => 0,
            Some(bits) if bits < overflow => bits as u8 | sign,
            _ if self.kind == Kind::Ieee => infinity as u8 | sign,
            _ if self.kind == Kind::Finite => 0x7e | sign,
            _ => nan,
        }
    }
}

macro_rules! float8 {
    ($($(#[$doc:meta])* $name:ident: $exponent:literal $mantissa:literal $bias:literal $kind:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(
            /// The bits.
            pub u8,
        );

        impl $name {
            const FORMAT: Format =
                Format { exponent: $exponent, mantissa: $mantissa, bias: $bias, kind: Kind::$kind };

            /// The value, exactly.
            pub fn to_f32(self) -> f32 {
                Self::FORMAT.decode(self.0)
            }

            /// The nearest value, ties to even, as torch converts.
            pub fn from_f32(value: f32) -> Self {
                $name(Self::FORMAT.encode(value))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> f32 {
                value.to_f32()
            }
        }
    )*};
}

float8! {
    /// `torch.float8_e5m2`
    Float8E5M2: 5 2 15 Ieee;
    /// `torch.float8_e4m3fn`: no infinities
    Float8E4M3Fn: 4 3 7 Finite;
    /// `torch.float8_e5m2fnuz`: no infinities, no negative zero
    Float8E5M2Fnuz: 5 2 16 FiniteUnsignedZero;
    /// `torch.float8_e4m3fnuz`: no infinities, no negative zero
    Float8E4M3Fnuz: 4 3 8 FiniteUnsignedZero;
}

/// `torch.float8_e8m0fnu`: a power of two, as the scale of a block; 255 is NaN.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Float8E8M0Fnu(
    /// The bits: the exponent, with 127 added.
    pub u8,
);

impl Float8E8M0Fnu {
    /// The value, exactly.
    pub fn to_f32(self) -> f32 {
        match self.0 {
            0 => f32::from_bits(1 << 22), // 2^-127, below the smallest normal number
            255 => f32::NAN,
            exponent => f32::from_bits(u32::from(exponent) << 23),
        }
    }
}

impl fmt::Debug for Float8E8M0Fnu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), f)
    }
}

/// `torch.float4_e2m1fn_x2`: two numbers of four bits, as bits alone.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Float4E2M1FnX2(
    /// The bits.
    pub u8,
);
