#![allow(unused_variables, dead_code)]

use torchop::prelude::*;

#[derive(TorchTuple)]
struct Window<'a, 'b, T>(&'a T, &'b T);

#[derive(TorchTuple)]
struct Nothing;

fn main() {}
