//! Operators that `linked` is linked with, and that Python loads to make the packages.

use torchop::prelude::*;

#[torch_op(schema = "host_ops::scaled(Tensor x, float scale) -> Tensor", cpu, nondifferentiable)]
fn scaled(x: &Tensor, scale: f64) -> Result<Tensor> {
    x.mul_scalar(scale)
}

#[torch_op(fake_of = scaled)]
fn scaled_fake(x: &FakeTensor, _scale: f64) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(schema = "host_ops::triple_and_square(Tensor x) -> (Tensor, Tensor)", cpu, nondifferentiable)]
fn triple_and_square(x: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((x.mul_scalar(3.0)?, x.mul(x)?))
}

#[torch_op(fake_of = triple_and_square)]
fn triple_and_square_fake(x: &FakeTensor) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.empty_like()?, x.empty_like()?))
}

#[torch_op(schema = "host_ops::panics(Tensor x) -> Tensor", cpu, nondifferentiable)]
#[allow(clippy::panic)] // what it is for
fn panics(_x: &Tensor) -> Result<Tensor> {
    panic!("no kernel today")
}

#[torch_op(fake_of = panics)]
fn panics_fake(x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

/// A class whose objects a program reaches in a package.
#[torch_class(name = "host_ops::Scale", pickle, flatten)]
#[derive(Debug)]
pub struct Scale {
    /// What is multiplied with; a setter makes it changeable.
    #[torch(get, set)]
    pub factor: f64,
}

#[torch_class]
impl Scale {
    #[init]
    fn new(factor: f64) -> Self {
        Scale { factor }
    }

    #[method(fake = like(x))]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(self.factor)
    }
}

/// Another class, of which there are none in that package.
#[torch_class(name = "host_ops::Other", pickle)]
#[derive(Debug)]
pub struct Other {
    number: i64,
}

#[torch_class]
impl Other {
    #[init]
    fn new(number: i64) -> Self {
        Other { number }
    }

    fn number(&self) -> i64 {
        self.number
    }
}
