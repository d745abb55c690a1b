#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "my_ops::f(Tensor x, int[3] size, SymInt[2]? pad=None) -> Tensor", cpu)]
fn f(x: &Tensor, size: [i64; 2], pad: Option<[i64; 3]>) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "my_ops::g(Tensor x, int[3] size, int[] any) -> Tensor", cpu)]
fn g(x: &Tensor, size: List<'_, i64>, any: [i64; 5]) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = g, cuda)]
fn g_cuda(x: &Tensor, size: [i64; 4], any: [i64; 2]) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "my_ops::h", cpu)]
fn h(x: &Tensor, size: [i64; 2], #[torch(default = [1, 2, 3])] pad: [i64; 2]) -> Result<Tensor> {
    todo!()
}

#[torch_op(fake_of = h)]
fn h_fake(x: &FakeTensor, size: [SymInt; 3], pad: [SymInt; 2]) -> Result<FakeTensor> {
    todo!()
}

fn main() {}
