//! Numbers that come from sizes.

use crate::error::{Error, OrTorch, Result};
use crate::sym_bool::SymBool;
use crate::sym_int::{Comparison, SymInt};
use cxx::UniquePtr;
use std::fmt;
use torchop_sys::ffi;

/// A floating-point number while torch traces: known, or made of symbols (`torch.SymFloat`). A fake may take a `float` argument
/// as one.
pub struct SymFloat(UniquePtr<ffi::SymFloat>);

/// The order is that of `sym_float_arithmetic` in the bridge.
#[derive(Clone, Copy)]
enum Arithmetic {
    Add = 0,
    Sub = 1,
    Mul = 2,
    Div = 3,
    Min = 5,
    Max = 6,
    Sqrt = 7,
}

impl SymFloat {
    pub(crate) fn from_bridge(value: UniquePtr<ffi::SymFloat>) -> Self {
        SymFloat(value)
    }

    pub(crate) fn of(value: &SymInt) -> Result<Self> {
        ffi::sym_float_of(value.handle()).or_torch().map(SymFloat)
    }

    /// One that is known.
    pub fn new(value: f64) -> Result<Self> {
        ffi::sym_float_new(value).or_torch().map(SymFloat)
    }

    fn get(&self) -> Result<&ffi::SymFloat> {
        self.0.as_ref().ok_or_else(|| Error::runtime("torch gave no number"))
    }

    /// Whether it is made of symbols.
    pub fn is_symbolic(&self) -> Result<bool> {
        self.get().map(ffi::sym_float_is_symbolic)
    }

    /// The number, **specialising** the graph that is being traced: it is recompiled for every other value.
    pub fn specialize(&self) -> Result<f64> {
        ffi::sym_float_guard(self.get()?).or_torch()
    }

    fn arithmetic(&self, other: &SymFloat, operation: Arithmetic) -> Result<SymFloat> {
        ffi::sym_float_arithmetic(self.get()?, other.get()?, operation as u8).or_torch().map(SymFloat)
    }

    fn compare(&self, other: &SymFloat, comparison: Comparison) -> Result<SymBool> {
        ffi::sym_float_compare(self.get()?, other.get()?, comparison as u8).or_torch().map(SymBool::from_bridge)
    }

    /// The sum.
    pub fn add(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Add)
    }

    /// The difference.
    pub fn sub(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Sub)
    }

    /// The product.
    pub fn mul(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Mul)
    }

    /// The quotient.
    pub fn div(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Div)
    }

    /// The smaller one.
    pub fn min(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Min)
    }

    /// The larger one.
    pub fn max(&self, other: &SymFloat) -> Result<SymFloat> {
        self.arithmetic(other, Arithmetic::Max)
    }

    /// The square root.
    pub fn sqrt(&self) -> Result<SymFloat> {
        self.arithmetic(self, Arithmetic::Sqrt)
    }

    /// Whether it is smaller.
    pub fn sym_lt(&self, other: &SymFloat) -> Result<SymBool> {
        self.compare(other, Comparison::Lt)
    }

    /// Whether it is larger.
    pub fn sym_gt(&self, other: &SymFloat) -> Result<SymBool> {
        self.compare(other, Comparison::Gt)
    }

    /// Whether the two are equal.
    pub fn sym_eq(&self, other: &SymFloat) -> Result<SymBool> {
        self.compare(other, Comparison::Eq)
    }
}

impl fmt::Debug for SymFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get().map(ffi::sym_float_text) {
            Ok(Ok(text)) => f.write_str(&text.to_string_lossy()),
            _ => f.write_str("?"),
        }
    }
}

// SAFETY: a symbol's node is held by an atomic reference count, and its operations take Python's lock themselves.
unsafe impl Send for SymFloat {}
// SAFETY: as above; nothing writes to it.
unsafe impl Sync for SymFloat {}
