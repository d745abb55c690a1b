//! Rules for autocast.

use torchop::prelude::*;

static MM: TorchOp = TorchOp::new("aten::mm", "");
static T: TorchOp = TorchOp::new("aten::t", "");

fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype()? != b.dtype()? {
        return Err(Error::type_error(format!("expected one dtype, got {} and {}", a.dtype()?, b.dtype()?)));
    }
    MM.call::<Tensor>((a, b))
}

fn product_fake(a: &FakeTensor, b: &FakeTensor) -> Result<FakeTensor> {
    a.new_empty(&[a.sym_size(0)?, b.sym_size(1)?])
}

fn product_backward(grad: &Tensor, a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((product(grad, &T.call::<Tensor>((b,))?)?, product(&T.call::<Tensor>((a,))?, grad)?))
}

macro_rules! operator {
    ($name:ident $fake:ident $backward:ident $schema:literal $($rule:tt)*) => {
        #[torch_op(schema = $schema, cpu, $($rule)*)]
        fn $name(a: &Tensor, b: &Tensor) -> Result<Tensor> {
            product(a, b)
        }
        #[torch_op(fake_of = $name)]
        fn $fake(a: &FakeTensor, b: &FakeTensor) -> Result<FakeTensor> {
            product_fake(a, b)
        }
        #[torch_op(backward_of = $name)]
        fn $backward(grad_output: &Tensor, a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
            product_backward(grad_output, a, b)
        }
    };
}

operator!(mm_low mm_low_fake mm_low_backward "test_ops::mm_low(Tensor a, Tensor b) -> Tensor" autocast(cpu = bf16, cuda = f16));
operator!(mm_high mm_high_fake mm_high_backward "test_ops::mm_high(Tensor a, Tensor b) -> Tensor" autocast(f32));
operator!(mm_region mm_region_fake mm_region_backward "test_ops::mm_region(Tensor a, Tensor b) -> Tensor" autocast(lower_precision));
operator!(mm_plain mm_plain_fake mm_plain_backward "test_ops::mm_plain(Tensor a, Tensor b) -> Tensor");

/// Lists and optionals are cast as well.
#[torch_op(schema = "test_ops::dtypes_under(Tensor[] xs, Tensor? y=None, Tensor?[]? zs=None) -> str[]", cpu, autocast(cpu = bf16))]
fn dtypes_under(xs: Vec<&Tensor>, y: Option<&Tensor>, zs: Option<Vec<Option<&Tensor>>>) -> Result<Vec<String>> {
    xs.into_iter().chain(y).chain(zs.into_iter().flatten().flatten()).map(|x| Ok(x.dtype()?.to_string())).collect()
}
