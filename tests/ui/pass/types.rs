//! Every type of the schema language that has a Rust type, as argument and as result, with a schema and without.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(clippy::too_many_arguments, clippy::type_complexity)]

use std::collections::{BTreeMap, HashMap};
use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter;

#[torch_class]
impl Counter {
    #[init]
    fn new(
        #[torch(default = 0)] _start: i64,
        #[torch(default = None)] _step: Option<f64>,
        #[torch(default = "mean")] _mode: Mode,
        #[torch(default = float32)] _dtype: DType,
    ) -> Self {
        Counter
    }

    fn swap(&self, pair: (i64, bool), _by_name: Dict<'_, &str, f64>, _w: Window) -> (bool, i64) {
        (pair.1, pair.0)
    }
}

#[derive(TorchEnum, Clone, Copy)]
enum Mode {
    Mean,
    #[torch(name = "none")]
    Off,
}

#[derive(TorchTuple)]
struct Window {
    size: i64,
    stride: i64,
}

#[torch_op(
    schema = "my_ops::values(complex c, Scalar s, ScalarType d, Layout l, MemoryFormat m, Device v, Stream t, Generator g) \
              -> (complex, Scalar, ScalarType, Layout, MemoryFormat, Device, Stream, Generator)",
    composite_explicit
)]
fn values(
    c: Complex64,
    s: Scalar,
    d: DType,
    l: Layout,
    m: MemoryFormat,
    v: Device,
    t: Stream,
    g: Generator,
) -> Result<(Complex64, Scalar, DType, Layout, MemoryFormat, Device, Stream, Generator)> {
    Ok((c, s, d, l, m, v, t, g))
}

#[torch_op(
    schema = "my_ops::defaults(complex? c=None, Scalar s=1.5, ScalarType? d=float32, Layout l=strided, \
              MemoryFormat? m=contiguous_format, Device v='cuda:0', Generator? g=None) -> ()",
    composite_explicit
)]
fn defaults(
    _c: Option<Complex64>,
    _s: Scalar,
    _d: Option<DType>,
    _l: Layout,
    _m: Option<MemoryFormat>,
    _v: Device,
    _g: Option<Generator>,
) {
}

#[torch_op(
    schema = "my_ops::compound(int[3] a, SymInt[2]? b, float[] c, Dict(str, Tensor) d, Dict(int, float[]) e, (int, str?) f, \
              (ScalarType, int)[] g, __torch__.torch.classes.my_ops.Counter h, Tensor?[] i) \
              -> (int[3], Dict(str, int), Dict(int, Tensor), (int, (str, bool)), ScalarType[], Scalar?[])",
    cpu
)]
fn compound(
    a: [i64; 3],
    _b: Option<&[i64]>,
    _c: &[f64],
    _d: Dict<'_, &str, &Tensor>,
    _e: HashMap<i64, Vec<f64>>,
    f: (i64, Option<&str>),
    g: Vec<(DType, i64)>,
    _h: &Counter,
    _i: List<'_, Option<&Tensor>>,
) -> Result<(
    Vec<i64>,
    HashMap<String, i64>,
    BTreeMap<i64, Tensor>,
    (i64, (String, bool)),
    Vec<DType>,
    Vec<Option<Scalar>>,
)> {
    let dtypes = g.into_iter().map(|(dtype, _)| dtype).collect();
    Ok((a.to_vec(), HashMap::new(), BTreeMap::new(), (f.0, (String::new(), true)), dtypes, vec![]))
}

#[torch_op(fake_of = compound)]
fn compound_fake(
    a: [i64; 3],
    _b: Option<Vec<SymInt>>,
    _c: &[f64],
    _d: Dict<'_, &str, &FakeTensor>,
    _e: HashMap<i64, Vec<f64>>,
    f: (i64, Option<&str>),
    g: Vec<(DType, i64)>,
    _h: &Counter,
    _i: List<'_, Option<&FakeTensor>>,
) -> Result<(
    Vec<i64>,
    HashMap<String, i64>,
    BTreeMap<i64, FakeTensor>,
    (i64, (String, bool)),
    Vec<DType>,
    Vec<Option<Scalar>>,
)> {
    let dtypes = g.into_iter().map(|(dtype, _)| dtype).collect();
    Ok((a.to_vec(), HashMap::new(), BTreeMap::new(), (f.0, (String::new(), true)), dtypes, vec![]))
}

// Written to, in all the spellings.
#[torch_op(schema = "my_ops::writes(Tensor(a!) x, Tensor(b!)? y, Tensor! z, *, Tensor!? w=None) -> ()", cpu)]
fn writes(_x: &mut Tensor, _y: Option<&mut Tensor>, _z: &mut Tensor, _w: Option<&mut Tensor>) {}

#[torch_op(kernel_of = writes, cuda)]
fn writes_cuda(x: &mut Tensor, y: Option<&mut Tensor>, z: &mut Tensor, w: Option<&mut Tensor>) -> Result<()> {
    writes::kernel(x, y, z, w);
    Ok(())
}

#[torch_op(fake_of = writes)]
fn writes_fake(_x: &FakeTensor, _y: Option<&FakeTensor>, _z: &FakeTensor, _w: Option<&FakeTensor>) {}

// Without a schema: types by any spelling.
type Matrix<'a> = &'a Tensor;

#[torch_op(name = "my_ops::inferred.all", cpu)]
fn inferred(
    self_: Matrix<'_>,
    also: Option<&Tensor>,
    ts: &[Tensor],
    _mode: Mode,
    _window: Window,
    n: i64,
    #[torch(int)] _k: i64,
    #[torch(int)] _ks: &[i64],
    _counter: &Counter,
    #[torch(default = -1)] _a: i64,
    #[torch(default = Some(2))] _b: Option<f64>,
    #[torch(default = "none")] _fallback: Option<Mode>,
    #[torch(default = [1, 2])] _l: Vec<i64>,
    #[torch(default = "cpu")] _device: Device,
    #[torch(default = float32)] _dtype: DType,
    #[torch(default = true)] _flag: Option<bool>,
    #[torch(default = 1e-5)] _eps: Scalar,
) -> Result<(Tensor, i64, Window, Mode)> {
    let _ = (also, ts);
    Ok((self_.empty_like()?, n, Window { size: 1, stride: n }, Mode::Off))
}

#[torch_op(fake_of = inferred)]
fn inferred_fake(
    self_: &FakeTensor,
    _also: Option<&FakeTensor>,
    _ts: Vec<&FakeTensor>,
    _mode: Mode,
    window: Window,
    n: SymInt,
    _k: i64,
    _ks: List<'_, i64>,
    _counter: &Counter,
    _a: SymInt,
    _b: Option<f64>,
    fallback: Option<Mode>,
    _l: Vec<SymInt>,
    _device: Device,
    _dtype: DType,
    _flag: Option<bool>,
    _eps: Scalar,
) -> Result<(FakeTensor, SymInt, Window, Mode)> {
    Ok((self_.empty_like()?, n, window, fallback.unwrap_or(Mode::Mean)))
}

#[torch_op(name = "my_ops::inferred_writes", cpu)]
fn inferred_writes(x: &mut Tensor, y: Option<&mut Tensor>, #[torch(default = 1)] _n: i64) -> Result<(Tensor, Tensor)> {
    let _ = y;
    Ok((x.empty_like()?, x.empty_like()?))
}

#[torch_op(fake_of = inferred_writes)]
fn inferred_writes_fake(x: &FakeTensor, _y: Option<&FakeTensor>, _n: SymInt) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?))
}

#[torch_op(name = "my_ops::product", cpu, tags(pointwise))]
fn product(x: &Tensor, _y: Option<&Tensor>, _alpha: f64) -> Result<Tensor> {
    x.empty_like()
}

#[torch_op(backward_of = product)]
fn product_backward(
    grad_output: &Tensor,
    output: &Tensor,
    alpha: f64,
    needs_grad_y: bool,
) -> Result<(Tensor, Option<Tensor>)> {
    let _ = (output, alpha, needs_grad_y);
    Ok((grad_output.empty_like()?, None))
}

fn main() {}
