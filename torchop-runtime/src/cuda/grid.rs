//! How many threads a kernel runs with.

use crate::error::{Error, Result};

/// Threads of a launch: blocks, threads in a block, bytes of dynamic shared memory for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub(super) blocks: [u32; 3],
    pub(super) threads: [u32; 3],
    pub(super) shared: u32,
}

impl Grid {
    /// Blocks and threads in a block, each in x, y and z. A grid without blocks launches nothing.
    pub const fn new(blocks: [u32; 3], threads: [u32; 3]) -> Self {
        Grid { blocks, threads, shared: 0 }
    }

    /// Enough blocks of `threads` threads for `count` elements, `each` of them a thread; checked, so that `count` may be beyond
    /// 2^31.
    ///
    /// # Errors
    /// `ValueError` if a number is negative, or if more than 2^31 - 1 blocks were needed.
    pub fn covering(count: i64, each: u32, threads: u32) -> Result<Self> {
        let block = i64::from(each.max(1)) * i64::from(threads.max(1));
        let blocks = count / block + i64::from(count % block != 0);
        match u32::try_from(blocks) {
            Ok(blocks) if count >= 0 && blocks <= i32::MAX as u32 => Ok(Grid::new([blocks, 1, 1], [threads, 1, 1])),
            _ => Err(Error::value(format!(
                "{count} elements in blocks of {block}: expected between 0 and {} blocks",
                i32::MAX
            ))),
        }
    }

    /// With so many bytes of dynamic shared memory for a block.
    #[must_use]
    pub const fn shared_bytes(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.contains(&0)
    }

    pub(super) fn threads_in_block(&self) -> u64 {
        self.threads.iter().map(|&threads| u64::from(threads)).fold(1, u64::saturating_mul)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_counts_beyond_32_bits() {
        assert_eq!(Grid::covering(0, 4, 256).unwrap().blocks[0], 0);
        assert_eq!(Grid::covering(1025, 4, 256).unwrap().blocks[0], 2);
        assert_eq!(Grid::covering(1 << 40, 8, 256).unwrap().blocks[0], 1 << 29);
        assert!(Grid::covering(1 << 40, 1, 256).is_err() && Grid::covering(-1025, 4, 256).is_err());
    }
}
