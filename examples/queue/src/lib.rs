//! A class whose methods change the object: a queue of tensors of bounded length.
//!
//! ```python
//! import torch
//! torch.ops.load_library("target/release/libqueue_ops.so")
//! queue = torch.classes.queue_ops.TensorQueue(capacity=100)
//! queue.push(torch.ones(3))
//! y = queue.pop() + len(queue)
//! ```

#![forbid(unsafe_code)]

use torchop::prelude::*;

/// Tensors in the order in which they came, at most `capacity`.
#[torch_class(name = "queue_ops::TensorQueue", pickle, flatten)]
struct TensorQueue {
    /// How many it holds at most.
    #[torch(get)]
    capacity: i64,
    values: Vec<Tensor>,
}

#[torch_class]
impl TensorQueue {
    /// An empty queue.
    #[init]
    fn new(#[torch(default = 16)] capacity: i64) -> Result<Self> {
        if capacity < 1 {
            return Err(Error::value(format!("capacity must be positive, got {capacity}")));
        }
        Ok(Self { capacity, values: vec![] })
    }

    fn __len__(&self) -> i64 {
        self.values.len() as i64
    }

    /// Keeps a copy: what the caller does to `x` later is none of the queue's business, and torch.compile may use the memory of
    /// `x` again.
    fn push(&mut self, x: &Tensor) -> Result<()> {
        if self.values.len() as i64 >= self.capacity {
            return Err(Error::index(format!("the queue is full: it holds {} tensors", self.capacity)));
        }
        self.values.push(x.deep_clone()?);
        Ok(())
    }

    /// Gives the oldest away. The queue lets go of it, so it needs no copy.
    fn pop(&mut self) -> Result<Tensor> {
        if self.values.is_empty() {
            return Err(Error::index("the queue is empty"));
        }
        Ok(self.values.remove(0))
    }

    /// A fake that changes the traced state, as the method changes the real one. It is run again on the state that is left
    /// over, so it never fails: where a real queue would be full, the fake goes on.
    #[fake(push)]
    fn push_fake(&mut self, x: &FakeTensor) -> Result<()> {
        self.values.push(x.empty_like()?.into_state());
        Ok(())
    }

    /// Keeps the last one, for the same reason.
    #[fake(pop)]
    fn pop_fake(&mut self) -> Result<FakeTensor> {
        match self.values.len() {
            0 => Err(Error::index("the queue is empty")),
            1 => FakeTensor::from_state(&self.values[0]).empty_like(),
            _ => Ok(FakeTensor::from_state(&self.values.remove(0))),
        }
    }
}
