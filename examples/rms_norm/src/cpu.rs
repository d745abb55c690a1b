//! On the CPU: each row is read from memory once, and then from the cache.

use crate::element::{Element, Real, filled};
use crate::epsilon;
use crate::parts::{in_parallel, rows_in_part};
use pulp::{Simd, WithSimd};
use torchop::TensorElement;
use torchop::prelude::*;

pub(crate) fn forward<T: Element>(
    input: &Tensor,
    weight: Option<&Tensor>,
    eps: Option<f64>,
) -> Result<(Tensor, Tensor)> {
    let input = input.contiguous()?;
    let mut sizes = input.sizes()?.to_vec();
    let mut output = Tensor::empty(&sizes, T::DTYPE)?;
    let columns = sizes.pop().unwrap_or(1) as usize;
    let rows = (input.numel()? as usize).checked_div(columns).unwrap_or(0);
    sizes.push(1);
    let mut rstd = Tensor::empty(&sizes, T::Real::DTYPE)?;
    if columns == 0 {
        // The mean of nothing.
        rstd.fill_(f64::NAN)?;
    }
    if rows == 0 {
        return Ok((output, rstd));
    }
    let (weight, eps) = (factors::<T::Real>(weight, columns)?, epsilon(eps, T::DTYPE));
    {
        let (x, mut y, mut r) = (input.as_slice::<T>()?, output.as_slice_mut::<T>()?, rstd.as_slice_mut::<T::Real>()?);
        let each = rows_in_part(rows, columns);
        let parts = x.chunks(each * columns).zip(y.chunks_mut(each * columns)).zip(r.chunks_mut(each));
        let done = in_parallel(parts.map(|((x, y), rstd)| Forward { x, y, rstd, weight: &weight, eps }))?;
        done.into_iter().collect::<Result<()>>()?;
    }
    Ok((output, rstd))
}

pub(crate) fn backward<T: Element>(
    grad_output: &Tensor,
    input: &Tensor,
    weight: Option<&Tensor>,
    rstd: &Tensor,
    needs_grad_weight: bool,
) -> Result<(Tensor, Tensor)> {
    let (grad_output, input, rstd) = (grad_output.contiguous()?, input.contiguous()?, rstd.contiguous()?);
    let sizes = input.sizes()?;
    let mut grad_input = Tensor::empty(&sizes, T::DTYPE)?;
    let columns = sizes.last().map_or(1, |columns| *columns as usize);
    let wanted = weight.filter(|_| needs_grad_weight);
    let width = if wanted.is_some() { columns } else { 0 };
    let mut grad_weight = filled(T::Real::default(), width)?;
    let rows = (input.numel()? as usize).checked_div(columns).unwrap_or(0);
    if rows > 0 {
        let factors = factors::<T::Real>(weight, columns)?;
        let (g, x, rstd) = (grad_output.as_slice::<T>()?, input.as_slice::<T>()?, rstd.as_slice::<T::Real>()?);
        let mut d = grad_input.as_slice_mut::<T>()?;
        let each = rows_in_part(rows, columns);
        let parts = g.chunks(each * columns).zip(x.chunks(each * columns)).zip(d.chunks_mut(each * columns));
        let parts = parts.zip(rstd.chunks(each));
        let sums = in_parallel(parts.map(|(((g, x), d), rstd)| Backward { g, x, d, rstd, weight: &factors, width }))?;
        for part in sums {
            grad_weight.iter_mut().zip(part?).for_each(|(sum, part)| *sum += part);
        }
    }
    let grad_weight = match wanted {
        Some(weight) => Tensor::from_vec(grad_weight, &[columns as i64])?.to(weight.dtype()?)?,
        None => Tensor::empty(&[0], T::DTYPE)?,
    };
    Ok((grad_input, grad_weight))
}

/// The weight as the computation takes it; ones if there is none.
fn factors<R: Real>(weight: Option<&Tensor>, columns: usize) -> Result<Vec<R>> {
    match weight {
        Some(weight) => {
            let mut numbers = filled(R::default(), columns)?;
            numbers.copy_from_slice(&weight.to(R::DTYPE)?.contiguous()?.as_slice::<R>()?);
            Ok(numbers)
        }
        None => filled(R::from_f64(1.0), columns),
    }
}

/// Rows of as many elements as `weight` has.
struct Forward<'a, T: Element> {
    x: &'a [T],
    y: &'a mut [T],
    rstd: &'a mut [T::Real],
    weight: &'a [T::Real],
    eps: f64,
}

impl<T: Element> WithSimd for Forward<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        let columns = self.weight.len();
        let (mut x_room, mut y_room) = (T::room(columns)?, T::room(columns)?);
        let rows = self.x.chunks_exact(columns).zip(self.y.chunks_exact_mut(columns));
        for ((x, y), rstd) in rows.zip(self.rstd) {
            let x = T::read(x, &mut x_room);
            let mean = sum([x], |[x]| x * x).to_f64() / columns as f64;
            let root = T::Real::from_f64(1.0 / (mean + self.eps).sqrt());
            *rstd = root;
            T::write(y, &mut y_room, |y| {
                for ((y, x), w) in y.iter_mut().zip(x).zip(self.weight) {
                    *y = *x * root * *w;
                }
            });
        }
        Ok(())
    }
}

struct Backward<'a, T: Element> {
    g: &'a [T],
    x: &'a [T],
    d: &'a mut [T],
    rstd: &'a [T::Real],
    weight: &'a [T::Real],
    /// Of the gradient of the weight, if somebody wants it.
    width: usize,
}

impl<T: Element> WithSimd for Backward<'_, T> {
    type Output = Result<Vec<T::Real>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        let columns = self.weight.len();
        let (mut g_room, mut x_room, mut d_room) = (T::room(columns)?, T::room(columns)?, T::room(columns)?);
        let mut grad_weight = filled(T::Real::default(), self.width)?;
        let rows = self.g.chunks_exact(columns).zip(self.x.chunks_exact(columns)).zip(self.d.chunks_exact_mut(columns));
        let over = T::Real::from_f64(1.0 / columns as f64);
        for (((g, x), d), &root) in rows.zip(self.rstd) {
            let (g, x) = (T::read(g, &mut g_room), T::read(x, &mut x_room));
            let along = sum([g, x, self.weight], |[g, x, w]| g * w * x) * root * root * over;
            T::write(d, &mut d_room, |d| {
                for (((d, g), x), w) in d.iter_mut().zip(g).zip(x).zip(self.weight) {
                    *d = (*g * *w - *x * along) * root;
                }
            });
            for ((sum, g), x) in grad_weight.iter_mut().zip(g).zip(x) {
                *sum += *g * *x * root;
            }
        }
        Ok(grad_weight)
    }
}

/// Thirty-two sums side by side, in vectors.
#[inline(always)]
fn sum<R: Real, const N: usize>(rows: [&[R]; N], term: impl Fn([R; N]) -> R) -> R {
    const WIDE: usize = 32;
    let whole = rows[0].len() / WIDE * WIDE;
    let mut sums = [R::default(); WIDE];
    for first in (0..whole).step_by(WIDE) {
        let rows = rows.map(|row| &row[first..first + WIDE]);
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += term(rows.map(|row| row[k]));
        }
    }
    let rest: R = (whole..rows[0].len()).map(|k| term(rows.map(|row| row[k]))).sum();
    sums.into_iter().sum::<R>() + rest
}
