//! Tensors in loops, held against `../../cpp/tensors.cpp` and torch's own operators.

use std::sync::Mutex;
use std::sync::atomic::{Ordering, compiler_fence};
use torchop::prelude::*;
use torchop::{elementwise, math, parallel_for};

// Sums are xored, so that neither compiler makes a chain of additions that a turn waits for.

/// Keeps the compiler from taking a read out of the loop, as in C++: somebody might have changed the tensor.
fn changed() {
    compiler_fence(Ordering::SeqCst);
}

#[torch_op(schema = "bench_tensors_rust::sizes_by_index(Tensor x, int turns) -> int", cpu)]
fn sizes_by_index(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        for dim in 0..x.dim()? {
            sum += x.size(dim)? + x.stride(dim)?;
        }
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::sizes_at_once(Tensor x, int turns) -> int", cpu)]
fn sizes_at_once(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        let (sizes, strides) = (x.sizes()?, x.strides()?);
        for (size, stride) in sizes.iter().zip(strides.iter()) {
            sum ^= size + stride;
        }
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::dims(Tensor x, int turns) -> int", cpu)]
fn dims(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        for (size, stride) in x.dims()? {
            sum ^= size + stride;
        }
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::sizes_kept(Tensor x, int turns) -> int", cpu)]
fn sizes_kept(x: &Tensor, turns: i64) -> Result<i64> {
    let (sizes, strides) = (x.sizes()?, x.strides()?);
    let (sizes, strides) = (&sizes[..], &strides[..]);
    let mut sum = 0_i64;
    for turn in 0..turns {
        for (size, stride) in sizes.iter().zip(strides) {
            sum ^= (size + turn).wrapping_mul(stride ^ sum); // each turn waits for the one before
        }
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::facts(Tensor x, int turns) -> int", cpu)]
fn facts(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        sum ^=
            x.dim()? + x.numel()? + x.storage_offset()? + i64::from(x.dtype()?.code()) + i64::from(x.is_contiguous()?);
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::device(Tensor x, int turns) -> int", cpu)]
fn device(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        let device = x.device()?;
        sum += i64::from(device.kind == DeviceType::Cpu) + i64::from(device.index.is_none());
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::requires_grad(Tensor x, int turns) -> int", cpu)]
fn requires_grad(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        sum += i64::from(x.requires_grad()?);
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::first_element(Tensor x, int turns) -> int", cpu)]
fn first_element(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        sum += x.as_slice::<f32>()?[0] as i64;
    }
    Ok(sum)
}

#[torch_op(schema = "bench_tensors_rust::accessor(Tensor x, int turns) -> int", cpu)]
fn accessor(x: &Tensor, turns: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..turns {
        changed();
        sum += x.view_nd::<f32, 2>()?[[0, 0]] as i64;
    }
    Ok(sum)
}

/// `silu(x) * y`
#[torch_op(schema = "bench_tensors_rust::silu_mul(Tensor x, Tensor y) -> Tensor", cpu)]
fn silu_mul(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    elementwise([x, y], |x: f32, y: f32| math::silu(x) * y)
}

/// `x + y`, which torch does in one pass as well.
#[torch_op(schema = "bench_tensors_rust::add(Tensor x, Tensor y) -> Tensor", cpu)]
fn add(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    elementwise([x, y], |x: f32, y: f32| x + y)
}

/// Nothing but arithmetic.
#[torch_op(schema = "bench_tensors_rust::compute(int count, int turns) -> float", composite)]
fn compute(count: i64, turns: i64) -> Result<f64> {
    let total = Mutex::new(0.0);
    parallel_for(count as usize, 1, |part| {
        let mut sum = 0.0;
        for n in part {
            let mut x = n as f64;
            for _ in 0..turns {
                x = (x * 1.000_000_1 + 1.0).sqrt();
            }
            sum += x;
        }
        *total.lock()? += sum;
        Ok(())
    })?;
    Ok(total.into_inner()?)
}
