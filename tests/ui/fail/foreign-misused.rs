#![allow(unused_variables)]

use torchop::prelude::*;

#[torch_op(schema = "aten::f(Tensor x) -> Tensor", cpu, foreign, tags(core), autocast(f32), effectful)]
fn f(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(kernel_of = f, cuda, foreign)]
fn f_cuda(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(name = "other::g", cpu, foreign = true, nondifferentiable)]
fn g(x: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "aten::h_(Tensor(a!) self) -> Tensor(a!)", SparseCPU, foreign)]
fn h_(self_: &mut Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "aten::k(Tensor(a) self) -> Tensor(a)", SparseCPU, foreign)]
fn k(self_: &Tensor) -> Result<Tensor> {
    todo!()
}

#[torch_op(schema = "l(Tensor x) -> Tensor", SparseCPU, foreign)]
fn l(x: &Tensor) -> Result<Tensor> {
    todo!()
}

fn main() {}
