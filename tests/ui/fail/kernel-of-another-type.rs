#![allow(unused_variables)]

use torchop::prelude::*;

struct Scale;

#[torch_op(kernel_of = Scale, cuda)]
fn g_cuda() -> Result<()> {
    todo!()
}

fn main() {}
