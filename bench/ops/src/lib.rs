//! What `cargo xtask bench` measures: operators that do nothing, and a class. Their counterparts are in `../cpp` and
//! `../counterparts.py`.
//!
//! They return a number, since an operator never returns its own input; `fresh` returns a tensor.

#![forbid(unsafe_code)]

mod arguments;
mod tensors;

torchop::if_torch! {
    mod aten;
}

use torchop::prelude::*;

/// One tensor.
#[torch_op(schema = "bench_rust::one(Tensor x) -> int", cpu)]
fn one(_x: &Tensor) -> i64 {
    0
}

/// Two tensors and one of each number.
#[torch_op(schema = "bench_rust::five(Tensor x, Tensor y, float a, int n, bool b) -> int", cpu)]
fn five(_x: &Tensor, _y: &Tensor, _a: f64, n: i64, _b: bool) -> i64 {
    n
}

/// Fourteen tensors.
#[torch_op(
    schema = "bench_rust::fourteen(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, \
              Tensor h, Tensor i, Tensor j, Tensor k, Tensor l, Tensor m, Tensor n) -> int",
    cpu
)]
#[allow(clippy::too_many_arguments, clippy::many_single_char_names)]
fn fourteen(
    _a: &Tensor,
    _b: &Tensor,
    _c: &Tensor,
    _d: &Tensor,
    _e: &Tensor,
    _f: &Tensor,
    _g: &Tensor,
    _h: &Tensor,
    _i: &Tensor,
    _j: &Tensor,
    _k: &Tensor,
    _l: &Tensor,
    _m: &Tensor,
    _n: &Tensor,
) -> i64 {
    0
}

/// One tensor in, a new one out.
#[torch_op(schema = "bench_rust::fresh(Tensor x) -> Tensor", cpu)]
fn fresh(x: &Tensor) -> Result<Tensor> {
    x.empty_like()
}

/// One tensor that is written to, and another.
#[torch_op(schema = "bench_rust::written(Tensor(a!) x, Tensor y) -> ()", cpu)]
fn written(_x: &mut Tensor, _y: &Tensor) {}

/// Work for a thread, without memory: a random number after that many.
fn work(seed: i64, rounds: i64) -> i64 {
    (0..rounds).fold(seed | 1, |state, _| {
        let state = state ^ (state << 13);
        let state = state ^ (state >> 7);
        state ^ (state << 17)
    })
}

/// A class that stays as it is.
#[torch_class(name = "bench_rust::Counter", pickle)]
struct Counter {
    #[torch(get)]
    start: i64,
}

#[torch_class]
impl Counter {
    #[init]
    fn new(start: i64) -> Self {
        Self { start }
    }

    fn count(&self, _x: &Tensor) -> i64 {
        self.start
    }

    fn work(&self, rounds: i64) -> i64 {
        work(self.start, rounds)
    }
}

/// A class whose methods change it.
#[torch_class(name = "bench_rust::Tally", pickle)]
struct Tally {
    #[torch(get, set)]
    count: i64,
}

#[torch_class]
impl Tally {
    #[init]
    fn new(count: i64) -> Self {
        Self { count }
    }

    fn add(&mut self, _x: &Tensor) -> i64 {
        self.count += 1;
        self.count
    }

    fn work(&self, rounds: i64) -> i64 {
        work(self.count, rounds)
    }
}
