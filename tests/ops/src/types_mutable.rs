//! Operators that write to their arguments.

use torchop::prelude::*;

static ADD_SCALAR: TorchOp = TorchOp::new("aten::add_", "Scalar");
static ADD: TorchOp = TorchOp::new("aten::add_", "Tensor");
static COPY: TorchOp = TorchOp::new("aten::copy_", "");

fn add(x: &Tensor, value: f64) -> Result<()> {
    ADD_SCALAR.call::<Tensor>((x, Scalar::Float(value), Scalar::Int(1))).map(|_| ())
}

fn copy(x: &Tensor, from: &Tensor) -> Result<()> {
    COPY.call::<Tensor>((x, from, false)).map(|_| ())
}

/// `x += value`
#[torch_op(schema = "test_types::add_(Tensor(a!) x, float value) -> ()", cpu)]
fn add_(x: &mut Tensor, value: f64) -> Result<()> {
    add(x, value)
}

#[torch_op(schema = "test_types::swap_(Tensor(a!) x, Tensor(b!) y) -> ()", cpu)]
fn swap_(x: &mut Tensor, y: &mut Tensor) -> Result<()> {
    let kept = x.deep_clone()?;
    copy(x, y)?;
    copy(y, &kept)
}

#[torch_op(schema = "test_types::add_optional_(Tensor x, Tensor(a!)? y=None) -> ()", cpu)]
fn add_optional_(x: &Tensor, y: Option<&mut Tensor>) -> Result<()> {
    match y {
        Some(y) => ADD.call::<Tensor>((y, x, Scalar::Int(1))).map(|_| ()),
        None => Ok(()),
    }
}

/// The short form, which gets a letter; and results of its own.
#[torch_op(schema = "test_types::add_and_copy(Tensor! x, Tensor y, *, float value=1.) -> (Tensor, Tensor)", cpu)]
fn add_and_copy(x: &mut Tensor, y: &Tensor, value: f64) -> Result<(Tensor, Tensor)> {
    add(x, value)?;
    Ok((y.deep_clone()?, x.deep_clone()?))
}

#[torch_op(fake_of = add_and_copy)]
fn add_and_copy_fake(x: &FakeTensor, y: &FakeTensor, _value: f64) -> Result<(FakeTensor, FakeTensor)> {
    Ok((y.empty_like()?, x.empty_like()?))
}

/// An output that is given.
#[torch_op(schema = "test_types::copy_out(Tensor x, *, Tensor(a!) out) -> ()", cpu)]
fn copy_out(x: &Tensor, out: &mut Tensor) -> Result<()> {
    copy(out, x)
}

/// What is assigned to the argument is the function's own.
#[torch_op(schema = "test_types::assigns(Tensor(a!) x, Tensor y) -> ()", cpu)]
fn assigns(x: &mut Tensor, y: &Tensor) -> Result<()> {
    *x = y.deep_clone()?;
    add(x, 1.0)
}

/// Fails when half of it is done.
#[torch_op(schema = "test_types::fails_after_writing(Tensor(a!) x) -> ()", cpu)]
fn fails_after_writing(x: &mut Tensor) -> Result<()> {
    add(x, 1.0)?;
    Err(Error::value("after writing"))
}

/// Returns what it was to write to.
#[torch_op(schema = "test_types::returns_written(Tensor(a!) x) -> Tensor", cpu)]
fn returns_written(x: &mut Tensor) -> Result<Tensor> {
    Ok(x.clone())
}

/// Calls one that writes, by its name.
#[torch_op(schema = "test_types::calls_writing(Tensor x) -> Tensor", cpu)]
fn calls_writing(x: &Tensor) -> Result<Tensor> {
    let (mut y, mut z) = (x.deep_clone()?, x.deep_clone()?);
    add_(&mut y, 1.0)?;
    swap_(&mut y, &mut z)?;
    add_optional_(&z, Some(&mut y))?;
    add_optional_(&z, None)?;
    Ok(y)
}

/// `x += value` for each.
#[torch_op(schema = "test_types::add_all_(Tensor(a!)[] xs, float value) -> ()", cpu)]
fn add_all_(xs: &mut [Tensor], value: f64) -> Result<()> {
    xs.iter().try_for_each(|x| add(x, value))
}

/// The same without a schema; the sum comes back, and what is assigned stays inside.
#[torch_op(name = "test_types::add_all_and_sum", cpu)]
fn add_all_and_sum(xs: &mut [Tensor], y: &Tensor) -> Result<Tensor> {
    let mut sum = y.deep_clone()?;
    for x in xs {
        ADD.call::<Tensor>((&*x, y, Scalar::Int(1)))?;
        sum = sum.add(x)?;
        *x = y.deep_clone()?;
        add(x, 1.0)?;
    }
    Ok(sum)
}

#[torch_op(fake_of = add_all_and_sum)]
fn add_all_and_sum_fake(_xs: List<'_, &FakeTensor>, y: &FakeTensor) -> Result<FakeTensor> {
    y.empty_like()
}

/// Torch's form of an operator with an output that is given.
#[torch_op(
    schema = "test_types::scaled.out(Tensor x, float factor, *, Tensor(a!) out) -> ()",
    cpu,
    tags(out_variant),
    handle = ScaledOut
)]
fn scaled_out(x: &Tensor, factor: f64, out: &mut Tensor) -> Result<()> {
    copy(out, &x.mul_scalar(factor)?)
}
