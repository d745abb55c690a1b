//! Numbers of any kind.

use crate::convert::{Mismatch, ResultSlot, Value};
use crate::error::{Error, Result};
use crate::sym_int::SymInt;
use num_complex::Complex64;

/// A number whose kind the caller chooses (`Scalar` in schemas; `Number` in Python).
///
/// A size that is passed while torch traces is **specialised**, as for `int` and `float`: the graph is recompiled for every other value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// An integer.
    Int(i64),
    /// An integer of more than `i64::MAX`, as `uint64` tensors have them; smaller ones arrive as `Int`.
    UInt(u64),
    /// A floating point number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A complex number.
    Complex(Complex64),
}

impl Scalar {
    /// The number as a float; complex numbers are none.
    pub fn as_f64(self) -> Result<f64> {
        match self {
            Scalar::Int(value) => Ok(value as f64),
            Scalar::UInt(value) => Ok(value as f64),
            Scalar::Float(value) => Ok(value),
            Scalar::Bool(value) => Ok(f64::from(value)),
            Scalar::Complex(value) => Err(Error::type_error(format!("expected a real number, got {value}"))),
        }
    }

    pub(crate) fn read(value: Value<'_>) -> Result<Option<Self>, Mismatch> {
        if let Some(number) = value.int() {
            return Ok(Some(Scalar::Int(number)));
        }
        if let Some(number) = value.float() {
            return Ok(Some(Scalar::Float(number?)));
        }
        if let Some(number) = value.boolean() {
            return Ok(Some(Scalar::Bool(number?)));
        }
        if let Some(number) = value.complex() {
            let [re, im] = number?;
            return Ok(Some(Scalar::Complex(Complex64::new(re, im))));
        }
        if value.is_symbolic_int()
            && let Some(size) = value.sym_int()
        {
            return Ok(Some(Scalar::Int(SymInt::from_handle(size?).specialize()?)));
        }
        value.uint().map(|number| number.map(Scalar::UInt)).transpose().map_err(Mismatch::from)
    }

    pub(crate) fn put(self, slot: ResultSlot<'_>) -> Result<()> {
        match self {
            Scalar::Int(value) => slot.put_int(value),
            Scalar::UInt(value) => slot.put_uint(value)?,
            Scalar::Float(value) => slot.put_float(value),
            Scalar::Bool(value) => slot.put_bool(value),
            Scalar::Complex(value) => slot.put_complex([value.re, value.im])?,
        }
        Ok(())
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Self {
        Scalar::Int(value)
    }
}

impl From<f64> for Scalar {
    fn from(value: f64) -> Self {
        Scalar::Float(value)
    }
}

impl From<f32> for Scalar {
    fn from(value: f32) -> Self {
        Scalar::Float(value.into())
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Scalar::Bool(value)
    }
}

impl From<Complex64> for Scalar {
    fn from(value: Complex64) -> Self {
        Scalar::Complex(value)
    }
}
