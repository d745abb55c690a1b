//! Loops on torch's threads.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use torchop::prelude::*;
use torchop::{
    in_parallel, num_threads, parallel_chunks, parallel_chunks_mut, parallel_for, parallel_outer, parallel_outer_mut,
    set_num_threads,
};

/// How many parts, on how many threads, over which sum; and whether each number came once.
#[torch_op(schema = "test_parallel::parts(int count, int grain) -> (int, int, int, bool)", composite)]
fn parts(count: i64, grain: i64) -> Result<(i64, i64, i64, bool)> {
    let (parts, sum) = (AtomicI64::new(0), AtomicI64::new(0));
    let threads = Mutex::new(HashSet::new());
    let seen: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    parallel_for(count as usize, grain as usize, |part| {
        parts.fetch_add(1, Ordering::Relaxed);
        threads.lock()?.insert(std::thread::current().id());
        for n in part {
            sum.fetch_add(n as i64, Ordering::Relaxed);
            seen[n].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    let once = seen.iter().all(|n| n.load(Ordering::Relaxed) == 1);
    Ok((parts.into_inner(), threads.into_inner()?.len() as i64, sum.into_inner(), once))
}

#[torch_op(schema = "test_parallel::threads() -> int", composite)]
fn threads() -> Result<i64> {
    Ok(num_threads()? as i64)
}

#[torch_op(schema = "test_parallel::set_threads(int count) -> ()", composite)]
fn set_threads(count: i64) -> Result<()> {
    set_num_threads(usize::try_from(count)?)
}

/// Sum and length of each chunk, by its number.
#[torch_op(schema = "test_parallel::of_chunks(Tensor x, int length) -> (float[], int[])", cpu)]
fn of_chunks(x: &Tensor, length: i64) -> Result<(Vec<f64>, Vec<i64>)> {
    let x = x.as_slice::<f64>()?;
    let found = Mutex::new(Vec::new());
    parallel_chunks(&x, length as usize, |n, chunk| {
        found.lock()?.push((n, chunk.iter().sum(), chunk.len() as i64));
        Ok(())
    })?;
    in_order(found)
}

/// Sum and first size of each part along the first dimension, by its number, on any layout.
#[torch_op(schema = "test_parallel::of_outer(Tensor x) -> (float[], int[])", cpu)]
fn of_outer(x: &Tensor) -> Result<(Vec<f64>, Vec<i64>)> {
    let x = x.view::<f64>()?;
    let found = Mutex::new(Vec::new());
    parallel_outer(&x, |n, part| {
        found.lock()?.push((n, part.sum(), part.len() as i64));
        Ok(())
    })?;
    in_order(found)
}

fn in_order(found: Mutex<Vec<(usize, f64, i64)>>) -> Result<(Vec<f64>, Vec<i64>)> {
    let mut found = found.into_inner()?;
    found.sort_by_key(|(n, ..)| *n);
    if !found.iter().map(|(n, ..)| *n).eq(0..found.len()) {
        return Err(Error::runtime("a part came twice, or not at all"));
    }
    Ok(found.into_iter().map(|(_, sum, length)| (sum, length)).unzip())
}

/// A loop in a loop: the inner one stays on its thread.
#[torch_op(schema = "test_parallel::nested(int count) -> (int, bool)", composite)]
fn nested(count: i64) -> Result<(i64, bool)> {
    let (sum, stayed) = (AtomicI64::new(0), Mutex::new(true));
    parallel_for(count as usize, 1, |outer| {
        let here = std::thread::current().id();
        for _ in outer {
            parallel_for(count as usize, 1, |inner| {
                *stayed.lock()? &= std::thread::current().id() == here && in_parallel()?;
                sum.fetch_add(inner.len() as i64, Ordering::Relaxed);
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok((sum.into_inner(), stayed.into_inner()?))
}

#[torch_op(schema = "test_parallel::fails(int count, int at, bool panics) -> ()", composite)]
#[allow(clippy::panic)]
fn fails(count: i64, at: i64, panics: bool) -> Result<()> {
    parallel_for(count as usize, 1, |part| {
        let kept = vec![1_u8; 1000];
        if part.contains(&(at as usize)) {
            if panics {
                panic!("number {at} of {}", kept.len());
            }
            return Err(Error::index(format!("number {at}")));
        }
        Ok(())
    })
}

/// Every row divided by its sum, on any layout.
#[torch_op(schema = "test_parallel::normalise_(Tensor(a!) x) -> ()", cpu)]
fn normalise_(x: &mut Tensor) -> Result<()> {
    parallel_outer_mut(&mut *x.view_mut_nd::<f32, 2>()?, |_, mut row| {
        let sum = row.sum();
        row.mapv_inplace(|x| x / sum);
        Ok(())
    })
}

#[torch_op(schema = "test_parallel::number_chunks_(Tensor(a!) x, int length) -> ()", cpu)]
fn number_chunks_(x: &mut Tensor, length: i64) -> Result<()> {
    parallel_chunks_mut(&mut x.as_slice_mut::<f32>()?, length as usize, |n, chunk| {
        chunk.fill(n as f32);
        Ok(())
    })
}

/// Operators called on the other threads are below autograd too, as on this one.
#[torch_op(schema = "test_parallel::operators_inside(Tensor x) -> bool", cpu)]
fn operators_inside(x: &Tensor) -> Result<bool> {
    let recorded = AtomicUsize::new(0);
    parallel_for(64, 1, |part| {
        for _ in part {
            recorded.fetch_add(usize::from(x.add(x)?.requires_grad()?), Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(recorded.into_inner() > 0)
}

/// Nothing but arithmetic, for a while.
#[torch_op(schema = "test_parallel::compute(int count, int turns) -> float", composite)]
fn compute(count: i64, turns: i64) -> Result<f64> {
    let total = Mutex::new(0.0);
    parallel_for(count as usize, 1, |part| {
        let mut sum = 0.0_f64;
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
