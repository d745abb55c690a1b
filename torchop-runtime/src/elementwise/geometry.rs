//! In which order elements are visited, and where each lies: the part of torch's TensorIterator that matters here.

use crate::tensor::{Elements, TensorElement};
use smallvec::SmallVec;
use std::mem::size_of;

pub(super) type Numbers = SmallVec<[i64; 6]>;

/// The sizes that all inputs are broadcast to; a text in torch's words if they do not go together.
pub(super) fn broadcast(inputs: &[Elements]) -> Result<Numbers, String> {
    let rank = inputs.iter().map(|input| input.sizes().len()).max().unwrap_or(0);
    let mut sizes: Numbers = smallvec::smallvec![1; rank];
    for (n, input) in inputs.iter().enumerate() {
        let missing = rank - input.sizes().len();
        for (dim, &size) in input.sizes().iter().enumerate() {
            let whole = &mut sizes[missing + dim];
            if *whole == 1 {
                *whole = size;
            } else if size != 1 && size != *whole {
                return Err(format!(
                    "the size of input {n} ({size}) must match the size of those before ({whole}) at non-singleton dimension {}",
                    missing + dim
                ));
            }
        }
    }
    Ok(sizes)
}

/// The dimensions from the fastest to the slowest, with the strides of each input in bytes.
pub(super) struct Geometry {
    sizes: Numbers,
    order: SmallVec<[usize; 6]>,
    /// By input, then by dimension of the result; 0 where the input is repeated.
    strides: Vec<Numbers>,
}

impl Geometry {
    pub(super) fn new(sizes: &[i64], inputs: &[Elements], item_sizes: &[usize]) -> Self {
        let strides: Vec<Numbers> = inputs
            .iter()
            .zip(item_sizes)
            .map(|(input, item)| {
                let missing = sizes.len() - input.sizes().len();
                let mut strides: Numbers = smallvec::smallvec![0; sizes.len()];
                for (dim, (&size, &stride)) in input.sizes().iter().zip(input.strides()).enumerate() {
                    strides[missing + dim] = if size == 1 || input.is_empty() { 0 } else { stride * *item as i64 };
                }
                strides
            })
            .collect();
        let mut order: SmallVec<[usize; 6]> = (0..sizes.len()).rev().collect();
        // By insertion, since which of two is faster is not always known, and then they stay as they are.
        for next in 1..order.len() {
            let mut moving = next;
            for before in (0..next).rev() {
                match slower(&strides, sizes, order[before], order[moving]) {
                    Some(true) => {
                        order.swap(before, moving);
                        moving = before;
                    }
                    Some(false) => break,
                    None => {}
                }
            }
        }
        Geometry { sizes: Numbers::from_slice(sizes), order, strides }
    }

    /// Strides of a dense result, in elements.
    pub(super) fn result_strides(&self) -> Numbers {
        let mut strides: Numbers = smallvec::smallvec![0; self.sizes.len()];
        let mut next = 1_i64;
        for &dim in &self.order {
            strides[dim] = next;
            next = next.saturating_mul(self.sizes[dim].max(1));
        }
        strides
    }

    /// With the addresses, and dimensions that are one put together.
    pub(super) fn with_result<R: TensorElement>(&self, result: &Elements, inputs: &[Elements]) -> Walk {
        let item = size_of::<R>() as i64;
        let mut operands: Vec<Numbers> = vec![result.strides().iter().map(|stride| stride * item).collect()];
        operands.extend(self.strides.iter().cloned());
        let count: i64 = self.sizes.iter().product();
        let (mut sizes, mut steps): (Vec<usize>, Vec<SmallVec<[isize; 6]>>) = (Vec::new(), Vec::new());
        for &dim in self.order.iter().filter(|dim| self.sizes[**dim] != 1) {
            let here: SmallVec<[isize; 6]> = operands.iter().map(|strides| strides[dim] as isize).collect();
            let size = self.sizes[dim] as usize;
            match (sizes.last_mut(), steps.last()) {
                (Some(last), Some(before)) if (0..here.len()).all(|n| here[n] == before[n] * *last as isize) => {
                    *last *= size;
                }
                _ => {
                    sizes.push(size);
                    steps.push(here);
                }
            }
        }
        if sizes.is_empty() {
            sizes.push(count as usize);
            steps.push(operands.iter().map(|_| 0).collect());
        }
        let first = std::iter::once(result).chain(inputs).map(|elements| elements.first()).collect();
        Walk { sizes, steps, first, count: count as usize }
    }
}

/// Whether the first dimension steps further than the second; nothing if the inputs do not say.
fn slower(strides: &[Numbers], sizes: &[i64], first: usize, second: usize) -> Option<bool> {
    for input in strides {
        let (a, b) = (input[first], input[second]);
        if a == 0 || b == 0 {
            continue;
        }
        if a != b {
            return Some(a > b);
        }
        if sizes[first] > sizes[second] {
            return Some(true);
        }
    }
    None
}

/// All that a loop needs: the result is operand 0, the inputs follow.
pub(super) struct Walk {
    /// From the fastest to the slowest dimension; at least one.
    pub(super) sizes: Vec<usize>,
    /// By dimension, then by operand, in bytes.
    pub(super) steps: Vec<SmallVec<[isize; 6]>>,
    pub(super) first: SmallVec<[usize; 8]>,
    count: usize,
}

impl Walk {
    pub(super) fn count(&self) -> usize {
        self.count
    }
}
