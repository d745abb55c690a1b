//! Classes: one that counts what lives, one with all kinds of state.

use std::sync::atomic::{AtomicI64, Ordering};
use torchop::prelude::*;

static ALIVE: AtomicI64 = AtomicI64::new(0);

/// How many `Counted` there are.
#[torch_op(schema = "torchop_sanitize::alive() -> int", composite_explicit)]
fn alive() -> i64 {
    ALIVE.load(Ordering::SeqCst)
}

/// Counts itself.
#[torch_class(name = "torchop_sanitize::Counted")]
struct Counted {
    held: Tensor,
}

impl Counted {
    fn holding(held: &Tensor) -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self { held: held.clone() }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

#[torch_class]
impl Counted {
    #[init]
    #[allow(clippy::panic)]
    fn new(held: &Tensor, outcome: &str) -> Result<Self> {
        let made = Self::holding(held);
        match outcome {
            "success" => Ok(made),
            "error" => Err(Error::value("asked to fail")),
            _ => panic!("asked to panic"),
        }
    }

    #[allow(clippy::panic)]
    fn add(&self, x: &Tensor, outcome: &str) -> Result<Tensor> {
        let sum = self.held.add(x)?;
        match outcome {
            "success" => Ok(sum),
            "error" => Err(Error::value("asked to fail")),
            _ => panic!("asked to panic"),
        }
    }
}

/// Its state goes through pickle and through tracing.
#[torch_class(name = "torchop_sanitize::Stateful", pickle, flatten)]
struct Stateful {
    tensor: Tensor,
    tensors: Vec<Tensor>,
    name: String,
    sizes: Vec<i64>,
}

#[torch_class]
impl Stateful {
    #[init]
    fn new(tensor: &Tensor, tensors: List<'_, &Tensor>, name: &str, sizes: Vec<i64>) -> Self {
        Self { tensor: tensor.clone(), tensors: tensors.iter().cloned().collect(), name: name.to_owned(), sizes }
    }

    fn sum(&self) -> Result<Tensor> {
        self.tensors.iter().try_fold(self.tensor.deep_clone()?, |sum, other| sum.add(other))
    }

    fn describe(&self) -> String {
        format!("{}{:?}", self.name, self.sizes)
    }
}
