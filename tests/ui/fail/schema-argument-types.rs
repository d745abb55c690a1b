#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[torch_op(
    schema = "my_ops::f(Scalar s, complex c, ScalarType d, Device v, int[3] k, Dict(str, int) m, (int, str) t, __torch__.torch.classes.a.Counter o) -> ()",
    composite_explicit
)]
fn f(s: f64, c: f64, d: i64, v: &str, k: i64, m: Vec<i64>, t: Vec<i64>, o: &Tensor) -> Result<()> {
    todo!()
}

fn main() {}
