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

/// Changed by its methods; counts itself too.
#[torch_class(name = "torchop_sanitize::Changing", pickle, flatten)]
struct Changing {
    #[torch(get, set)]
    held: Tensor,
    /// Part of the memory of `held`, after `share`.
    others: Vec<Tensor>,
}

#[torch_class]
impl Changing {
    #[init]
    #[allow(clippy::panic)]
    fn new(held: &Tensor, #[torch(default = "success")] outcome: &str) -> Result<Self> {
        let made = Changing { held: held.clone(), others: vec![held.clone()] };
        match outcome {
            "success" => Ok(made),
            "error" => Err(Error::value("asked to fail")),
            _ => panic!("asked to panic"),
        }
    }

    #[allow(clippy::panic)]
    fn exchange(&mut self, x: &Tensor, outcome: &str) -> Result<Tensor> {
        let before = std::mem::replace(&mut self.held, x.clone());
        match outcome {
            "success" => before.deep_clone(),
            "error" => Err(Error::value("asked to fail")),
            _ => panic!("asked to panic"),
        }
    }

    #[getter]
    fn count(&self) -> i64 {
        self.others.len() as i64
    }

    #[setter]
    fn set_count(&mut self, count: i64) -> Result<()> {
        let Ok(count) = usize::try_from(count) else { return Err(Error::value("asked to fail")) };
        self.others = vec![self.held.clone(); count];
        Ok(())
    }

    #[static_method]
    fn holding(held: &Tensor, outcome: &str) -> Result<Self> {
        Changing::new(held, outcome)
    }

    /// Gives its argument back, or a new object that holds what the argument holds.
    fn choose(&self, other: TorchRef<Changing>, new: bool) -> Result<TorchRef<Changing>> {
        if !new {
            return Ok(other);
        }
        let held = other.get()?.held.clone();
        TorchRef::new(Changing { held, others: vec![] })
    }

    /// Changes its argument, which may be itself.
    fn clear(&self, other: &TorchRef<Changing>) -> Result<()> {
        other.get_mut()?.others.clear();
        Ok(())
    }
}

/// The longest list among objects.
#[torch_op(name = "torchop_sanitize::longest", composite_explicit)]
fn longest(objects: List<'_, TorchRef<Changing>>) -> Result<TorchRef<Changing>> {
    let mut best: Option<TorchRef<Changing>> = None;
    for object in objects.iter() {
        let length = object.get()?.others.len();
        if best.as_ref().map_or(Ok(true), |best| Ok::<_, Error>(best.get()?.others.len() < length))? {
            best = Some(object);
        }
    }
    best.ok_or_else(|| Error::value("asked to fail"))
}

/// Its end fails.
#[torch_class(name = "torchop_sanitize::BadEnd")]
struct BadEnd {
    /// Dropped all the same, after the panic.
    _held: Counted,
}

#[torch_class]
impl BadEnd {
    #[init]
    fn new(held: &Tensor) -> Self {
        BadEnd { _held: Counted::holding(held) }
    }
}

impl Drop for BadEnd {
    #[allow(clippy::panic)]
    fn drop(&mut self) {
        panic!("asked to panic");
    }
}

/// `x * the sum of held`, with a gradient, for graphs that keep the object.
#[torch_op(name = "torchop_sanitize::times_held", cpu)]
fn times_held(object: &Counted, x: &Tensor) -> Result<Tensor> {
    x.mul(&object.held)
}

#[torch_op(fake_of = times_held)]
fn times_held_fake(_object: &Counted, x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = times_held)]
fn times_held_backward(grad_output: &Tensor, object: &Counted) -> Result<Tensor> {
    grad_output.mul(&object.held)
}
