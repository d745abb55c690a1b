#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(name = "my_ops::f", composite_explicit)]
fn f(
    #[torch(default = 1.5)] n: i64,
    #[torch(default = None)] m: i64,
    #[torch(default = "x")] a: Option<f64>,
    #[torch(default = float23)] d: DType,
    #[torch(default = [1, true])] l: Vec<i64>,
    #[torch(default = "cpu")] device: Option<Device>,
) -> Result<()> {
    todo!()
}

fn main() {}
