//! Dictionaries, tuples, objects, and types of the author's own.

use std::collections::{BTreeMap, HashMap};
use torchop::prelude::*;

#[torch_op(schema = "test_types::dict(Dict(str, int) v) -> Dict(str, int)", composite_explicit)]
fn dict(v: Dict<'_, &str, i64>) -> HashMap<String, i64> {
    v.iter().map(|(key, value)| (key.to_owned(), value + 1)).collect()
}

/// In the order of insertion.
#[torch_op(schema = "test_types::dict_order(Dict(str, int) v) -> str[]", composite_explicit)]
fn dict_order(v: Dict<'_, &str, i64>) -> Vec<String> {
    v.iter().map(|(key, _)| key.to_owned()).collect()
}

#[torch_op(schema = "test_types::dict_get(Dict(str, int) v, str key) -> int?", composite_explicit)]
fn dict_get(v: Dict<'_, &str, i64>, key: &str) -> Option<i64> {
    v.get(&key)
}

#[torch_op(schema = "test_types::dict_sorted(Dict(int, float[]) v) -> Dict(int, float[])", composite_explicit)]
fn dict_sorted(v: BTreeMap<i64, Vec<f64>>) -> BTreeMap<i64, Vec<f64>> {
    v
}

#[torch_op(schema = "test_types::dict_opt(Dict(str, bool)? v=None) -> Dict(str, bool)?", composite_explicit)]
fn dict_opt(v: Option<HashMap<&str, bool>>) -> Option<HashMap<String, bool>> {
    v.map(|v| v.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

#[torch_op(schema = "test_types::dict_tensors(Dict(str, Tensor) v) -> Dict(str, Tensor)", composite_explicit)]
fn dict_tensors(v: Dict<'_, &str, &Tensor>) -> Result<HashMap<String, Tensor>> {
    v.iter().map(|(key, value)| Ok((key.to_owned(), value.deep_clone()?))).collect()
}

#[torch_op(schema = "test_types::pair((int, str) v) -> ((str, int))", composite_explicit)]
fn pair(v: (i64, &str)) -> Result<((String, i64),)> {
    Ok(((v.1.to_owned(), v.0),))
}

#[torch_op(schema = "test_types::pairs((int, float)[] v) -> ((float, int)[])", composite_explicit)]
fn pairs(v: Vec<(i64, f64)>) -> Vec<(f64, i64)> {
    v.into_iter().map(|(a, b)| (b, a)).collect()
}

#[allow(clippy::type_complexity)]
#[torch_op(
    schema = "test_types::nested((int, (bool, str?), float[]) v) -> ((int, (bool, str?), float[]), int)",
    composite_explicit
)]
fn nested(v: (i64, (bool, Option<&str>), Vec<f64>)) -> ((i64, (bool, Option<String>), Vec<f64>), i64) {
    ((v.0, (v.1.0, v.1.1.map(str::to_owned)), v.2), 7)
}

/// A dtype inside a tuple is an int to torch.
#[torch_op(schema = "test_types::dtype_in_tuple((ScalarType, int) v) -> str", composite_explicit)]
fn dtype_in_tuple(v: (DType, i64)) -> String {
    format!("{:?} {}", v.0, v.1)
}

/// An object.
#[torch_class(name = "test_types::Scale", pickle)]
struct Scale {
    factor: f64,
    mode: Rounding,
}

/// What becomes of a fraction.
#[derive(Clone, Copy, Debug, PartialEq, TorchEnum)]
enum Rounding {
    Down,
    HalfUp,
    #[torch(name = "none")]
    Off,
}

/// A part of a line.
#[derive(Debug, TorchTuple)]
struct Window {
    start: i64,
    length: Option<i64>,
    rounding: Rounding,
}

/// Borrows.
#[derive(Debug, Clone, Copy, TorchTuple)]
struct Weighted<'a>(&'a Tensor, f64);

/// Owns.
#[derive(Debug, TorchTuple)]
struct Named {
    x: Tensor,
    name: String,
}

#[torch_class]
impl Scale {
    #[init]
    fn new(
        #[torch(default = 2)] factor: f64,
        #[torch(default = "half_up")] mode: Rounding,
        #[torch(default = None)] _window: Option<Window>,
    ) -> Self {
        Scale { factor, mode }
    }

    #[getter]
    fn mode(&self) -> Rounding {
        self.mode
    }

    fn apply(&self, #[torch(default = 1.0)] v: f64, #[torch(default = [1, 2])] list: Vec<i64>) -> f64 {
        v * self.factor + list.iter().sum::<i64>() as f64
    }

    fn window(&self, by_name: Dict<'_, &str, i64>) -> Option<Window> {
        let start = by_name.get(&"start")?;
        Some(Window { start, length: by_name.get(&"length"), rounding: self.mode })
    }
}

#[torch_op(
    schema = "test_types::scaled(__torch__.torch.classes.test_types.Scale s, float v) -> float",
    composite_explicit
)]
fn scaled(s: &Scale, v: f64) -> f64 {
    s.factor * v
}

#[torch_op(
    schema = "test_types::scaled_opt(__torch__.torch.classes.test_types.Scale? s=None, float v=1.) -> float",
    composite_explicit
)]
fn scaled_opt(s: Option<&Scale>, v: f64) -> f64 {
    s.map_or(v, |s| s.factor * v)
}

#[torch_op(
    schema = "test_types::scaled_all(__torch__.torch.classes.test_types.Scale[] s, float v) -> float",
    composite_explicit
)]
fn scaled_all(s: List<'_, &Scale>, v: f64) -> f64 {
    s.iter().fold(v, |v, s| s.factor * v)
}

#[torch_op(schema = "test_types::rounding(str v='down') -> str", composite_explicit)]
fn rounding(v: Rounding) -> Rounding {
    v
}

#[torch_op(schema = "test_types::roundings(str[] v, str? w=None) -> (str[], str?)", composite_explicit)]
fn roundings(v: Vec<Rounding>, w: Option<Rounding>) -> (Vec<Rounding>, Option<Rounding>) {
    (v, w)
}

#[torch_op(schema = "test_types::window((int, int?, str) v) -> ((int, int?, str))", composite_explicit)]
fn window(v: Window) -> Window {
    Window { start: v.start + 1, ..v }
}

#[torch_op(schema = "test_types::weighted(Tensor x, (Tensor, float)[] v) -> Tensor[]", cpu)]
fn weighted(x: &Tensor, v: List<'_, Weighted<'_>>) -> Result<Vec<Tensor>> {
    x.dim()?;
    v.iter().filter(|part| part.1 > 0.0).map(|part| part.0.deep_clone()).collect()
}

#[torch_op(schema = "test_types::named(Tensor x, (Tensor, str) v) -> ((Tensor, str))", cpu)]
fn named(x: &Tensor, v: Named) -> Result<Named> {
    x.dim()?;
    Ok(Named { x: v.x.deep_clone()?, name: v.name + "!" })
}

/// The own types in a call from Rust.
#[torch_op(schema = "test_types::calls_compound(Tensor x) -> str", cpu)]
fn calls_compound(x: &Tensor) -> Result<String> {
    let w = window(Window { start: 1, length: None, rounding: Rounding::Off })?;
    let n = named(x, Named { x: x.deep_clone()?, name: "n".to_owned() })?;
    let d = dict_sorted(BTreeMap::from([(3, vec![0.5]), (1, vec![])]))?;
    let r = rounding(Rounding::HalfUp)?;
    let refused = scaled(&Scale { factor: 1.0, mode: r }, 2.0).err().map(|error| error.message().to_owned());
    Ok(format!("{w:?} {} {} {d:?} {r:?} {refused:?}", n.name, n.x.dim()?))
}

/// A class that can be traced, with defaults.
#[torch_class(name = "test_types::Adder", flatten, pickle)]
struct Adder {
    start: f64,
}

static ADD: TorchOp = TorchOp::new("aten::add", "Scalar");

#[torch_class]
impl Adder {
    #[init]
    fn new(#[torch(default = 1.0)] start: f64) -> Self {
        Adder { start }
    }

    fn forward(
        &self,
        x: &Tensor,
        #[torch(default = 2.0)] more: f64,
        #[torch(default = "down")] rounding: Rounding,
    ) -> Result<Tensor> {
        let extra = if rounding == Rounding::Off { 100.0 } else { 0.0 };
        ADD.call::<Tensor>((x, Scalar::Float(self.start + more + extra), Scalar::Int(1)))
    }

    #[fake(forward)]
    fn forward_fake(&self, x: &FakeTensor, more: f64, rounding: Rounding) -> Result<FakeTensor> {
        let _ = (self.start, more, rounding);
        x.empty_like()
    }
}

/// Its kernel for CPU tensors is a test's, in Python: code that runs while the operators below hold their arguments.
#[torch_op(schema = "test_types::call_back(Tensor x) -> Tensor", cuda)]
fn call_back(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(schema = "test_types::list_across_call(Tensor x, Tensor[] xs) -> str", cpu)]
fn list_across_call(x: &Tensor, xs: List<'_, &Tensor>) -> Result<String> {
    let first = xs.get(0).ok_or_else(|| Error::value("an empty list"))?;
    call_back(x)?;
    Ok(format!("{} {:?} {:?}", xs.len(), first.sizes()?.to_vec(), xs.get(0).map(|first| first.sizes()).transpose()?))
}

#[torch_op(schema = "test_types::slice_across_call(Tensor x, Tensor[] xs) -> int[]", cpu)]
fn slice_across_call(x: &Tensor, xs: &[Tensor]) -> Result<Vec<i64>> {
    call_back(x)?;
    Ok(xs[0].sizes()?.to_vec())
}

#[torch_op(schema = "test_types::strs_across_call(Tensor x, str[] xs) -> str", cpu)]
fn strs_across_call(x: &Tensor, xs: Vec<&str>) -> Result<String> {
    call_back(x)?;
    Ok(xs.concat())
}

#[torch_op(schema = "test_types::ints_across_call(Tensor x, int[] xs) -> int[]", cpu)]
fn ints_across_call(x: &Tensor, xs: List<'_, i64>) -> Result<Vec<i64>> {
    call_back(x)?;
    Ok(xs.iter().collect())
}

#[torch_op(schema = "test_types::nested_across_call(Tensor x, str[][] xs) -> str", cpu)]
fn nested_across_call(x: &Tensor, xs: Vec<Vec<&str>>) -> Result<String> {
    call_back(x)?;
    Ok(xs.concat().concat())
}

#[torch_op(schema = "test_types::dict_across_call(Tensor x, Dict(str, Tensor) xs) -> str", cpu)]
fn dict_across_call(x: &Tensor, xs: Dict<'_, &str, &Tensor>) -> Result<String> {
    call_back(x)?;
    let sizes: Vec<String> =
        xs.iter().map(|(key, x)| Ok(format!("{key}{:?}", x.sizes()?.to_vec()))).collect::<Result<_>>()?;
    Ok(sizes.concat())
}
