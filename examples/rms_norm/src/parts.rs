//! Rows in parts, on torch's threads.

use pulp::WithSimd;
use std::sync::Mutex;
use torchop::parallel_for;
use torchop::prelude::*;

/// How many elements are worth a thread, and most parts: a part has a sum for the weight's gradient of its own, so the number
/// does not depend on the threads, and neither do the results.
const WORTH: usize = 32_768;
const PARTS: usize = 64;

/// How many of `rows` make a part.
pub(crate) fn rows_in_part(rows: usize, columns: usize) -> usize {
    let parts = (rows * columns / WORTH).clamp(1, PARTS);
    rows.div_ceil(parts).max(1)
}

/// Runs each part once, compiled for the vectors of this machine, and gives what they return, in order.
pub(crate) fn in_parallel<P: WithSimd + Send>(parts: impl Iterator<Item = P>) -> Result<Vec<P::Output>>
where
    P::Output: Send,
{
    let parts: Vec<_> = parts.map(|part| Mutex::new((Some(part), None))).collect();
    let arch = pulp::Arch::new();
    parallel_for(parts.len(), 1, |numbers| {
        for part in &parts[numbers] {
            let mut part = part.lock()?;
            part.1 = part.0.take().map(|part| arch.dispatch(part));
        }
        Ok(())
    })?;
    let done = |part: Mutex<(_, Option<P::Output>)>| Ok(part.into_inner()?.1);
    Ok(parts.into_iter().map(done).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}
