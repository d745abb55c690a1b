//! Classes whose state is more than numbers: what is pickled, and how older states are read.

use std::collections::{BTreeMap, HashMap};
use torchop::prelude::*;

/// Tensors that share memory.
#[torch_class(name = "test_ops::Tied", pickle, flatten)]
struct Tied {
    whole: Tensor,
    part: Tensor,
    list: Vec<Tensor>,
}

#[torch_class]
impl Tied {
    /// Keeps `whole` itself, and a transposed view of it as well.
    #[init]
    fn new(whole: &Tensor) -> Result<Self> {
        let part = whole.as_strided(&[2, 2], &[1, 2], 1)?;
        Ok(Tied { whole: whole.clone(), part: part.clone(), list: vec![part, whole.clone()] })
    }

    #[getter]
    fn whole(&self) -> Tensor {
        self.whole.clone()
    }

    #[getter]
    fn part(&self) -> Tensor {
        self.part.clone()
    }

    #[getter]
    fn list(&self) -> Vec<Tensor> {
        self.list.clone()
    }
}

/// Fields that hold fields.
#[torch_class(name = "test_ops::Compound", pickle, flatten)]
struct Compound {
    pair: (i64, (String, Option<f64>)),
    rows: Vec<Vec<i64>>,
    gaps: Vec<Option<i64>>,
    named: BTreeMap<String, Tensor>,
    counts: HashMap<i64, String>,
    maybe: Option<Vec<Tensor>>,
    dtype: DType,
    device: Device,
    z: Complex64,
}

#[torch_class]
impl Compound {
    /// Its size makes empty, short and long fields.
    #[init]
    fn new(size: i64, w: &Tensor) -> Result<Self> {
        Ok(Compound {
            pair: (size, (format!("size {size}"), (size > 0).then_some(0.5))),
            rows: (0..size).map(|n| (0..n).collect()).collect(),
            gaps: (0..size).map(|n| (n % 2 == 0).then_some(n)).collect(),
            named: (0..size).map(|n| Ok((format!("w{n}"), w.mul_scalar(n as f64)?))).collect::<Result<_>>()?,
            counts: (0..size.min(1)).map(|n| (n, n.to_string())).collect(),
            maybe: (size != 1).then(|| (0..size).map(|_| w.deep_clone()).collect()).transpose()?,
            dtype: w.dtype()?,
            device: w.device()?,
            z: Complex64::new(1.0, size as f64),
        })
    }

    fn describe(&self) -> String {
        let Compound { pair, rows, gaps, named, counts, maybe, dtype, device, z } = self;
        let maybe = maybe.as_ref().map(|list| list.len());
        format!("{pair:?} {rows:?} {gaps:?} {:?} {counts:?} {maybe:?} {dtype:?} {device:?} {z}", named.keys())
    }

    /// `x + the sum of named * z.im`
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = x.deep_clone()?;
        for w in self.named.values() {
            y = y.add(&w.mul_scalar(self.z.im)?)?;
        }
        Ok(y)
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

/// Holds what is no field type, so that functions say what is written. They do not clone the tensor.
#[torch_class(name = "test_ops::Custom")]
struct Custom {
    bytes: std::sync::Mutex<Vec<u8>>,
    weight: Tensor,
}

#[torch_class]
impl Custom {
    #[init]
    fn new(text: &str, weight: &Tensor) -> Self {
        Custom { bytes: text.as_bytes().to_vec().into(), weight: weight.clone() }
    }

    fn text(&self) -> Result<String> {
        let bytes = self.bytes.lock().map_err(|_| Error::runtime("poisoned"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[getter]
    fn weight(&self) -> Tensor {
        self.weight.clone()
    }

    #[getstate]
    fn state(&self) -> Result<(Vec<i64>, (Tensor, Vec<i64>))> {
        let bytes = self.bytes.lock().map_err(|_| Error::runtime("poisoned"))?;
        Ok((bytes.iter().map(|byte| i64::from(*byte)).collect(), (self.weight.clone(), vec![])))
    }

    #[setstate]
    fn from_state(bytes: Vec<i64>, rest: (&Tensor, Vec<i64>)) -> Result<Self> {
        let bytes: Result<Vec<u8>, _> = bytes.into_iter().map(u8::try_from).collect();
        Ok(Custom { bytes: bytes?.into(), weight: rest.0.clone() })
    }

    #[flatten]
    fn flat(&self) -> Result<(String, Tensor)> {
        Ok((self.text()?, self.weight.clone()))
    }

    #[unflatten]
    fn unflat(text: &str, weight: &Tensor) -> Self {
        Custom::new(text, weight)
    }

    /// `x * weight`, once per letter
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let letters = self.bytes.lock().map_err(|_| Error::runtime("poisoned"))?.len();
        (0..letters).try_fold(x.deep_clone()?, |y, _| y.mul(&self.weight))
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}

/// What [`Model3`] was at first.
#[torch_class(name = "test_ops::Model1", pickle)]
struct Model1 {
    w: Tensor,
    names: Vec<String>,
}

#[torch_class]
impl Model1 {
    #[init]
    fn new(w: &Tensor) -> Self {
        Model1 { w: w.clone(), names: vec![] }
    }

    fn count(&self) -> i64 {
        self.names.len() as i64
    }
}

/// What [`Model3`] was then.
#[torch_class(name = "test_ops::Model2", pickle, version = 2)]
struct Model2 {
    w: Tensor,
    scale: f64,
}

#[torch_class]
impl Model2 {
    #[init]
    fn new(w: &Tensor, scale: f64) -> Self {
        Model2 { w: w.clone(), scale }
    }
}

/// Reads the states of both.
#[torch_class(name = "test_ops::Model3", pickle, version = 3)]
struct Model3 {
    weight: Tensor,
    scale: f64,
    from: i64,
}

#[torch_class]
impl Model3 {
    #[init]
    fn new(weight: &Tensor, scale: f64) -> Self {
        Model3 { weight: weight.clone(), scale, from: 3 }
    }

    #[upgrade(1)]
    fn from_1(w: &Tensor, names: List<'_, &str>) -> Result<Self> {
        if !names.is_empty() {
            return Err(Error::value("names are gone"));
        }
        Ok(Model3 { weight: w.clone(), scale: 1.0, from: 1 })
    }

    /// Leaves `scale` out.
    #[upgrade(2)]
    fn from_2(w: &Tensor) -> Self {
        Model3 { weight: w.clone(), scale: 2.0, from: 2 }
    }

    #[getter]
    fn weight(&self) -> Tensor {
        self.weight.clone()
    }

    fn origin(&self) -> (i64, f64) {
        (self.from, self.scale)
    }
}
