//! Classes whose methods change the object (`&mut self`), properties that are written, static methods, handles.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use torchop::prelude::*;

/// Counts. Every way to change it is here.
#[torch_class(name = "test_ops::Tally", pickle, flatten)]
pub(crate) struct Tally {
    /// How many.
    #[torch(get, set)]
    pub(crate) count: i64,
    /// What it counts in.
    #[torch(get)]
    step: i64,
    label: String,
}

#[torch_class]
impl Tally {
    /// Starts at `count`.
    #[init]
    fn new(
        #[torch(default = 0)] count: i64,
        #[torch(default = 1)] step: i64,
        #[torch(default = "tally")] label: &str,
    ) -> Result<Self> {
        if step == 0 {
            return Err(Error::value("step must not be 0"));
        }
        Ok(Tally { count, step, label: label.into() })
    }

    /// The name of what is counted.
    #[getter]
    fn label(&self) -> String {
        self.label.clone()
    }

    #[setter]
    fn set_label(&mut self, value: &str) -> Result<()> {
        if value.is_empty() {
            return Err(Error::value("a label must not be empty"));
        }
        self.label = value.into();
        Ok(())
    }

    /// Adds `times` steps; returns the new count.
    fn add(&mut self, #[torch(default = 1)] times: i64) -> i64 {
        // Slowly, so that a lost update would show.
        let count = self.count;
        std::hint::black_box(&self.label);
        self.count = count + times * self.step;
        self.count
    }

    #[fake(add)]
    fn add_fake(&mut self, times: i64) -> i64 {
        self.count += times * self.step;
        self.count
    }

    /// What `add` would return.
    fn next(&self) -> i64 {
        self.count + self.step
    }

    #[fake(next)]
    fn next_fake(&self) -> i64 {
        self.count + self.step
    }

    fn add_and_fail(&mut self) -> Result<()> {
        self.count += 1;
        Err(Error::value("told to fail"))
    }

    #[allow(clippy::panic)]
    fn add_and_panic(&mut self) {
        self.count += 1;
        panic!("half done");
    }

    /// Takes from another one what it has.
    fn take_from(&mut self, other: &Tally) {
        self.count += other.count;
    }

    /// Calls an operator whose kernel may be anything, Python among it, while it is being changed.
    fn change_and_call(&mut self, x: &Tensor) -> Result<Tensor> {
        self.count += 1;
        crate::calls::in_python(x)
    }

    /// The same while it is read.
    fn read_and_call(&self, x: &Tensor) -> Result<Tensor> {
        crate::calls::in_python(x)
    }

    /// Whether two are at the same count, with recursion: may be the same object.
    fn same(&self, other: &Tally) -> bool {
        self.count == other.count
    }
}

/// A struct with a block of its own for Python's operators.
#[torch_class(name = "test_ops::Bag", pickle)]
struct Bag {
    items: Vec<i64>,
}

#[torch_class]
impl Bag {
    #[init]
    fn new(items: Vec<i64>) -> Self {
        Bag { items }
    }

    /// `count` times `value`.
    #[static_method]
    fn filled(value: i64, #[torch(default = 2)] count: i64) -> Result<Self> {
        if count < 0 {
            return Err(Error::value(format!("count must not be negative, got {count}")));
        }
        Ok(Bag { items: vec![value; count as usize] })
    }

    #[static_method]
    fn total(bags: &[TorchRef<Bag>]) -> Result<i64> {
        let mut total = 0;
        for bag in bags {
            total += bag.get()?.items.iter().sum::<i64>();
        }
        Ok(total)
    }

    #[static_method]
    fn identity(x: &Tensor) -> Tensor {
        x.clone()
    }

    fn doubled(&self) -> Self {
        Bag { items: self.items.iter().map(|item| 2 * item).collect() }
    }

    fn longest(&self, others: Vec<TorchRef<Bag>>) -> Result<Option<TorchRef<Bag>>> {
        let mut best: Option<TorchRef<Bag>> = None;
        for other in others {
            let longer = match &best {
                Some(best) => other.get()?.items.len() > best.get()?.items.len(),
                None => other.get()?.items.len() > self.items.len(),
            };
            if longer {
                best = Some(other);
            }
        }
        Ok(best)
    }

    fn both(&self, other: &TorchRef<Bag>) -> Result<(Vec<TorchRef<Bag>>, i64)> {
        Ok((vec![other.clone(), TorchRef::new(self.doubled())?], self.items.len() as i64))
    }

    fn tally(&self) -> Result<TorchRef<Tally>> {
        TorchRef::new(Tally { count: self.items.iter().sum(), step: 1, label: "bag".into() })
    }

    fn bump(&self, tally: &TorchRef<Tally>) -> Result<i64> {
        let mut tally = tally.get_mut()?;
        tally.count += self.items.len() as i64;
        Ok(tally.count)
    }

    fn change(&self, other: &TorchRef<Bag>) -> Result<()> {
        other.get_mut()?.items.clear();
        Ok(())
    }
}

#[torch_class]
impl Bag {
    fn __len__(&self) -> i64 {
        self.items.len() as i64
    }

    fn __getitem__(&self, index: i64) -> Result<i64> {
        let place = if index < 0 { index + self.items.len() as i64 } else { index };
        let item = usize::try_from(place).ok().and_then(|place| self.items.get(place));
        item.copied().ok_or_else(|| Error::index(format!("index {index} of {} items", self.items.len())))
    }

    fn __contains__(&self, item: i64) -> bool {
        self.items.contains(&item)
    }

    fn __eq__(&self, other: &Bag) -> bool {
        self.items == other.items
    }

    fn __lt__(&self, other: &Bag) -> bool {
        self.items < other.items
    }

    fn __add__(&self, other: &Bag) -> Self {
        Bag { items: [&self.items[..], &other.items].concat() }
    }

    fn __neg__(&self) -> Self {
        Bag { items: self.items.iter().map(|item| -item).collect() }
    }

    fn __str__(&self) -> String {
        format!("a bag of {}", self.items.len())
    }

    fn __repr__(&self) -> String {
        format!("Bag({:?})", self.items)
    }
}

/// Values in the order in which they came.
#[torch_class(name = "test_ops::Queue", pickle, flatten)]
struct Queue {
    values: Vec<Tensor>,
}

#[torch_class]
impl Queue {
    #[init]
    fn new() -> Self {
        Queue { values: vec![] }
    }

    fn push(&mut self, x: &Tensor) -> Result<()> {
        self.values.push(x.deep_clone()?);
        Ok(())
    }

    fn pop(&mut self) -> Result<Tensor> {
        if self.values.is_empty() {
            return Err(Error::index("pop of an empty queue"));
        }
        Ok(self.values.remove(0))
    }

    /// Gives its state away.
    fn peek(&self) -> Result<Tensor> {
        self.values.first().cloned().ok_or_else(|| Error::index("peek of an empty queue"))
    }

    fn size(&self) -> i64 {
        self.values.len() as i64
    }

    fn clear(&mut self) {
        self.values.clear();
    }

    #[fake(push)]
    fn push_fake(&mut self, x: &FakeTensor) -> Result<()> {
        self.values.push(x.empty_like()?.into_state());
        Ok(())
    }

    /// Never fails: PyTorch runs a fake again on the state that is left over.
    #[fake(pop)]
    fn pop_fake(&mut self) -> Result<FakeTensor> {
        if self.values.len() > 1 {
            return Ok(FakeTensor::from_state(&self.values.remove(0)));
        }
        FakeTensor::from_state(&self.values[0]).empty_like()
    }

    #[fake(size)]
    fn size_fake(&self) -> i64 {
        self.values.len() as i64
    }

    #[fake(clear)]
    fn clear_fake(&mut self) {
        self.values.clear();
    }
}

/// A method that computes and touches nothing else: for threads.
#[torch_class(name = "test_ops::Spin")]
struct Spin {
    seed: u64,
}

/// The same in a class that can be changed.
#[torch_class(name = "test_ops::SpinChanging")]
struct SpinChanging {
    seed: u64,
}

fn spin(seed: u64, rounds: i64) -> i64 {
    let mut state = seed | 1;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    (state >> 1) as i64
}

#[torch_class]
impl Spin {
    #[init]
    fn new() -> Self {
        Spin { seed: 7 }
    }

    fn run(&self, rounds: i64) -> i64 {
        spin(self.seed, rounds)
    }
}

#[torch_class]
impl SpinChanging {
    #[init]
    fn new() -> Self {
        SpinChanging { seed: 7 }
    }

    fn run(&self, rounds: i64) -> i64 {
        spin(self.seed, rounds)
    }

    fn reseed(&mut self) {
        self.seed += 1;
    }
}

/// How many drops panicked.
static DROPS: AtomicI64 = AtomicI64::new(0);

#[torch_class(name = "test_ops::BadDrop")]
struct BadDrop {}

#[torch_class]
impl BadDrop {
    #[init]
    fn new() -> Self {
        BadDrop {}
    }
}

impl Drop for BadDrop {
    #[allow(clippy::panic)]
    fn drop(&mut self) {
        DROPS.fetch_add(1, SeqCst);
        panic!("no drop today");
    }
}

#[torch_op(schema = "test_ops::drops() -> int", composite_explicit)]
fn drops() -> i64 {
    DROPS.load(SeqCst)
}

/// The sum of what two objects have counted, one of which may be missing.
#[torch_op(name = "test_ops::tallied", composite_explicit)]
fn tallied(a: TorchRef<Tally>, b: Option<TorchRef<Tally>>) -> Result<i64> {
    Ok(a.get()?.count + b.map_or(Ok(0), |b| b.get().map(|b| b.count))?)
}

/// The one that has counted further.
#[torch_op(name = "test_ops::further", composite_explicit)]
fn further(tallies: List<'_, TorchRef<Tally>>) -> Result<TorchRef<Tally>> {
    let mut best: Option<TorchRef<Tally>> = None;
    for tally in tallies.iter() {
        if best.as_ref().map_or(Ok(true), |best| Ok::<_, Error>(best.get()?.count < tally.get()?.count))? {
            best = Some(tally);
        }
    }
    best.ok_or_else(|| Error::value("no tallies"))
}

/// A new object, by value.
#[torch_op(name = "test_ops::new_tally", composite_explicit)]
fn new_tally(count: i64) -> Tally {
    Tally { count, step: 1, label: "new".into() }
}

/// Operators by name, from Rust, with objects.
#[torch_op(name = "test_ops::tally_round_trip", composite_explicit)]
fn tally_round_trip(count: i64) -> Result<i64> {
    let (a, b) = (new_tally(count)?, new_tally(count + 1)?);
    let best = TorchOp::new("test_ops::further", "").call::<TorchRef<Tally>>((vec![a.clone(), b.clone()],))?;
    if !best.is_same(&b) || best.is_same(&a) {
        return Err(Error::runtime("another object came back"));
    }
    tallied(a, Some(best))
}
