//! Classes of every shape.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use torchop::prelude::*;

/// `x * factor`
#[torch_class(name = "test_ops::Scale", pickle, flatten)]
pub(crate) struct Scale {
    pub(crate) factor: f64,
}

#[torch_class]
impl Scale {
    #[init]
    fn new(factor: f64) -> Result<Self> {
        if factor == 0.0 {
            return Err(Error::value("factor must not be 0"));
        }
        Ok(Scale { factor })
    }

    #[getter]
    fn factor(&self) -> f64 {
        self.factor
    }

    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(self.factor)
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }

    fn get(&self) -> f64 {
        self.factor
    }

    #[fake(get)]
    fn get_fake(&self) -> f64 {
        self.factor
    }

    /// Takes another object, of this class alone.
    fn same(&self, other: &Scale) -> bool {
        self.factor == other.factor
    }

    fn untraceable(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(x)
    }

    /// Several results, with optional and list arguments.
    fn both(&self, x: &Tensor, times: Option<i64>, names: List<'_, &str>) -> Result<(Tensor, i64, String)> {
        let names: Vec<&str> = names.iter().collect();
        Ok((self.forward(x)?, times.unwrap_or(1), names.join("+")))
    }

    fn nothing(&self) {}
}

/// A field of every type.
#[torch_class(name = "test_ops::Everything", pickle, flatten)]
struct Everything {
    count: i64,
    scale: f64,
    on: bool,
    name: String,
    weight: Tensor,
    limit: Option<i64>,
    bias: Option<Tensor>,
    sizes: Vec<i64>,
    parts: Vec<Tensor>,
    names: Vec<String>,
}

#[torch_class]
impl Everything {
    #[init]
    #[allow(clippy::too_many_arguments)]
    fn new(
        count: i64,
        scale: f64,
        on: bool,
        name: &str,
        weight: &Tensor,
        limit: Option<i64>,
        bias: Option<&Tensor>,
        sizes: Vec<i64>,
        parts: Vec<&Tensor>,
        names: Vec<&str>,
    ) -> Result<Self> {
        Ok(Everything {
            count,
            scale,
            on,
            name: name.into(),
            weight: weight.deep_clone()?,
            limit,
            bias: bias.map(Tensor::deep_clone).transpose()?,
            sizes,
            parts: parts.into_iter().map(Tensor::deep_clone).collect::<Result<_>>()?,
            names: names.into_iter().map(str::to_owned).collect(),
        })
    }

    /// All of it in one text.
    fn describe(&self) -> String {
        format!(
            "{} {} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            self.count,
            self.scale,
            self.on,
            self.name,
            self.weight,
            self.limit,
            self.bias,
            self.sizes,
            self.parts,
            self.names
        )
    }

    /// `x * weight * scale * count + bias + the sum of all parts`
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = x.mul(&self.weight)?.mul_scalar(self.scale * self.count as f64)?;
        for part in self.bias.iter().chain(&self.parts) {
            y = y.add(part)?;
        }
        Ok(y)
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

/// Gives its own tensor away, in each of the ways that a method can.
#[torch_class(name = "test_ops::Holder", pickle, flatten)]
struct Holder {
    weight: Tensor,
}

#[torch_class]
impl Holder {
    #[init]
    fn new(weight: &Tensor) -> Self {
        Holder { weight: weight.clone() }
    }

    #[getter]
    fn weight(&self) -> Tensor {
        self.weight.clone()
    }

    /// `x * weight`
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.mul(&self.weight)
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }

    /// "state", "view of state", "argument", "view of argument", "copy", "view of copy", "state and copy"
    fn give(&self, x: &Tensor, what: &str) -> Result<Tensor> {
        match what {
            "state" => Ok(self.weight.clone()),
            "view of state" => self.weight.reshape(&[-1]),
            "argument" => Ok(x.clone()),
            "view of argument" => x.reshape(&[-1]),
            "copy" => self.weight.deep_clone(),
            "product" => x.mul(&self.weight),
            _ => self.weight.deep_clone()?.reshape(&[-1]),
        }
    }

    #[fake(give)]
    fn give_fake(&self, x: &FakeTensor, what: &str) -> Result<FakeTensor> {
        if what.starts_with("view") { x.new_empty(&[x.sym_numel()?]) } else { x.empty_like() }
    }

    /// A list of tensors, its own among them.
    fn give_list(&self, own: bool) -> Result<Vec<Tensor>> {
        Ok(vec![self.weight.deep_clone()?, if own { self.weight.clone() } else { self.weight.deep_clone()? }])
    }
}

/// How many `Counted` live.
static ALIVE: AtomicI64 = AtomicI64::new(0);
/// How many were ever made.
static MADE: AtomicI64 = AtomicI64::new(0);

/// Something whose lives are counted.
struct Life;

impl Life {
    fn new() -> Self {
        ALIVE.fetch_add(1, SeqCst);
        MADE.fetch_add(1, SeqCst);
        Life
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, SeqCst);
    }
}

/// Neither pickled nor traced.
#[torch_class(name = "test_ops::Counted")]
struct Counted {
    _life: Life,
}

#[torch_class]
impl Counted {
    /// Fails after the life was made if it is told to.
    #[init]
    #[allow(clippy::panic)]
    fn new(how: &str) -> Result<Self> {
        let life = Life::new();
        match how {
            "error" => Err(Error::value("told to fail")),
            "panic" => panic!("told to panic"),
            _ => Ok(Counted { _life: life }),
        }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.deep_clone()
    }

    /// Calls an operator whose kernel may be anything, Python among it, while this object is borrowed.
    fn call_out(&self, x: &Tensor) -> Result<i64> {
        crate::calls::in_python(x)?;
        Ok(ALIVE.load(SeqCst))
    }
}

#[torch_op(schema = "test_ops::alive() -> int", composite_explicit)]
fn alive() -> i64 {
    ALIVE.load(SeqCst)
}

#[torch_op(schema = "test_ops::made() -> int", composite_explicit)]
fn made() -> i64 {
    MADE.load(SeqCst)
}
