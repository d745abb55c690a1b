use torchop::call;
use torchop::prelude::*;

static ALIAS: TorchOp = TorchOp::new("aten::_reshape_alias", "");

fn f(x: &Tensor) -> Result<Tensor> {
    call!("aten::_softmax", x, 0, false)
}

fn g(x: &Tensor) -> Result<Tensor> {
    call!("softmax.int", x, 0)
}

fn main() {}
