//! Sizes that may be symbolic.

use crate::error::{Error, OrTorch, Result};
use crate::sym_bool::SymBool;
use crate::sym_float::SymFloat;
use std::fmt;
use std::mem::ManuallyDrop;
use torchop_sys::{SymIntHandle, ffi};

/// A size while torch traces: a number, or a symbol that stands for one (`torch.SymInt`).
///
/// Arithmetic and comparison keep symbols symbolic, so that one compiled graph serves all sizes. What takes another number
/// takes a `SymInt`, a `&SymInt` or an `i64`:
///
/// ```no_run
/// # use torchop_runtime::{FakeTensor, Result};
/// # fn fake(x: &FakeTensor) -> Result<FakeTensor> {
/// let rows = x.sym_size(0)?;
/// x.new_empty(&[rows.ceil_div(4)?, rows.min(128)?])
/// # }
/// ```
/// `a + b`, `a - b` and `a * b` work on values and references and panic where the methods would fail: on overflow of plain
/// numbers. Equality is [`SymInt::sym_eq`]: there is no `==`, which would have to specialise.
pub struct SymInt(ManuallyDrop<SymIntHandle>);

/// The order is that of `sym_int_arithmetic` in the bridge.
#[derive(Clone, Copy)]
enum Arithmetic {
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    Min,
    Max,
}

impl Arithmetic {
    /// On plain numbers; `None` where there is no result.
    fn on_numbers(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::FloorDiv => {
                let quotient = a.checked_div(b)?;
                if a % b != 0 && (a < 0) != (b < 0) { quotient.checked_sub(1) } else { Some(quotient) }
            }
            Self::Mod => {
                let rest = a.checked_rem(b)?;
                Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::FloorDiv => "//",
            Self::Mod => "%",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// How two numbers are compared. The order is that of `sym_compare` in the bridge.
#[derive(Clone, Copy)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl SymInt {
    pub(crate) fn from_handle(handle: SymIntHandle) -> Self {
        SymInt(ManuallyDrop::new(handle))
    }

    pub(crate) fn handle(&self) -> &SymIntHandle {
        &self.0
    }

    pub(crate) fn into_handle(self) -> SymIntHandle {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so its handle is moved out exactly once.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }

    /// Whether it is a symbol.
    pub fn is_symbolic(&self) -> bool {
        ffi::sym_int_is_symbolic(&self.0)
    }

    /// The number, unless it is a symbol that may be another one. Never specialises.
    pub fn known(&self) -> Option<i64> {
        let mut known = false;
        ffi::sym_int_known(&self.0, &mut known).ok().filter(|_| known)
    }

    /// The number, **specialising** the graph that is being traced: it is recompiled for every other value. Of a size that
    /// depends on data there is no number to have: an error.
    pub fn specialize(&self) -> Result<i64> {
        ffi::sym_int_guard(&self.0).or_torch()
    }

    fn arithmetic(&self, other: impl Into<SymInt>, operation: Arithmetic) -> Result<SymInt> {
        let other = other.into();
        if let (Some(a), Some(b)) = (self.known(), other.known()) {
            return operation
                .on_numbers(a, b)
                .map(SymInt::from)
                .ok_or_else(|| Error::value(format!("{a} {} {b} has no value that fits 64 bits", operation.sign())));
        }
        ffi::sym_int_arithmetic(&self.0, &other.0, operation as u8).or_torch().map(Self::from_handle)
    }

    fn compare(&self, other: impl Into<SymInt>, comparison: Comparison) -> Result<SymBool> {
        ffi::sym_int_compare(&self.0, &other.into().0, comparison as u8).or_torch().map(SymBool::from_bridge)
    }

    /// The sum.
    pub fn add(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Add)
    }

    /// The difference.
    pub fn sub(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Sub)
    }

    /// The product.
    pub fn mul(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Mul)
    }

    /// The quotient, rounded down.
    pub fn floor_div(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::FloorDiv)
    }

    /// The quotient, rounded up: how many pieces of `other` cover it.
    pub fn ceil_div(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        let zero = SymInt::from(0);
        zero.sub(&zero.sub(self)?.floor_div(other)?)
    }

    /// What [`SymInt::floor_div`] leaves, with the sign of `other`.
    pub fn modulo(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Mod)
    }

    /// The smaller one.
    pub fn min(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Min)
    }

    /// The larger one.
    pub fn max(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        self.arithmetic(other, Arithmetic::Max)
    }

    /// The product of all; 1 of none.
    pub fn product(sizes: &[SymInt]) -> Result<SymInt> {
        sizes.iter().try_fold(SymInt::from(1), |product, size| product.mul(size))
    }

    /// Whether the two are equal.
    pub fn sym_eq(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Eq)
    }

    /// Whether the two differ.
    pub fn sym_ne(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Ne)
    }

    /// Whether it is smaller.
    pub fn sym_lt(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Lt)
    }

    /// Whether it is smaller or equal.
    pub fn sym_le(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Le)
    }

    /// Whether it is larger.
    pub fn sym_gt(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Gt)
    }

    /// Whether it is larger or equal.
    pub fn sym_ge(&self, other: impl Into<SymInt>) -> Result<SymBool> {
        self.compare(other, Comparison::Ge)
    }

    /// The same as a floating-point number, which may be a symbol as well.
    pub fn to_float(&self) -> Result<SymFloat> {
        SymFloat::of(self)
    }
}

impl From<i64> for SymInt {
    fn from(value: i64) -> Self {
        Self::from_handle(ffi::sym_int_new(value))
    }
}

impl From<&SymInt> for SymInt {
    fn from(value: &SymInt) -> Self {
        value.clone()
    }
}

impl Clone for SymInt {
    fn clone(&self) -> Self {
        Self::from_handle(ffi::sym_int_clone(&self.0))
    }
}

impl Drop for SymInt {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { ffi::sym_int_drop(&raw mut *self.0) }
    }
}

macro_rules! operators {
    ($($trait:ident $function:ident $method:ident;)*) => {$(
        impl<T: Into<SymInt>> std::ops::$trait<T> for &SymInt {
            type Output = SymInt;
            #[track_caller]
            #[allow(clippy::panic, reason = "as Rust's own operators do on overflow")]
            fn $function(self, other: T) -> SymInt {
                self.$method(other).unwrap_or_else(|error| panic!("{}", error.message()))
            }
        }
        impl<T: Into<SymInt>> std::ops::$trait<T> for SymInt {
            type Output = SymInt;
            #[track_caller]
            fn $function(self, other: T) -> SymInt {
                std::ops::$trait::$function(&self, other)
            }
        }
    )*};
}

operators! { Add add add; Sub sub sub; Mul mul mul; }

impl fmt::Display for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ffi::sym_int_text(&self.0) {
            Ok(text) => f.write_str(&text.to_string_lossy()),
            Err(_) => f.write_str("?"),
        }
    }
}

impl fmt::Debug for SymInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// SAFETY: a symbol's node is held by an atomic reference count, and its operations take Python's lock themselves.
unsafe impl Send for SymInt {}
// SAFETY: as above.
unsafe impl Sync for SymInt {}

#[cfg(test)]
mod tests {
    use super::Arithmetic::{self, *};

    #[test]
    fn numbers_divide_as_in_python() {
        let on = |op: Arithmetic, a, b| op.on_numbers(a, b);
        assert_eq!([on(FloorDiv, 7, 2), on(FloorDiv, -7, 2), on(FloorDiv, 7, -2)], [Some(3), Some(-4), Some(-4)]);
        assert_eq!([on(Mod, 7, 2), on(Mod, -7, 2), on(Mod, 7, -2)], [Some(1), Some(1), Some(-1)]);
        assert_eq!([on(FloorDiv, 1, 0), on(Mod, 1, 0), on(FloorDiv, i64::MIN, -1)], [None; 3]);
        assert_eq!([on(Add, i64::MAX, 1), on(Mul, i64::MAX, 2), on(Sub, i64::MIN, 1)], [None; 3]);
    }
}
