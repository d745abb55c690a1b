//! What stands for methods and operators with objects while torch traces.

use crate::classes::Scale;
use torchop::prelude::*;

/// Every kind of fake on one class: a table of rows.
#[torch_class(name = "test_ops::Table", pickle, flatten)]
struct Table {
    rows: Tensor,
    scale: f64,
    size: i64,
    on: bool,
    name: String,
    sizes: Vec<i64>,
}

#[torch_class]
impl Table {
    #[init]
    fn new(rows: &Tensor, scale: f64, name: &str) -> Result<Self> {
        let (size, sizes) = (rows.size(0)?, rows.sizes()?.to_vec());
        Ok(Table { rows: rows.clone(), scale, size, on: scale > 1.0, name: name.into(), sizes })
    }

    // Called like entries of the state: no fake is written.
    fn size(&self) -> i64 {
        self.size
    }

    fn scale(&self) -> f64 {
        // Not the field: tracing must see what the method gives.
        self.scale * 2.0
    }

    fn on(&self) -> bool {
        self.on
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn sizes(&self) -> Vec<i64> {
        self.sizes.clone()
    }

    /// `x * scale`
    #[method(fake = like(x))]
    fn forward(&self, factor: f64, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(self.scale * factor)
    }

    /// `x * rows + x`, of torch's operators alone.
    #[method(composite)]
    fn project(&self, x: &Tensor) -> Result<Tensor> {
        x.mul(&self.rows)?.mul_scalar(self.scale)?.add(x)
    }

    #[method(composite)]
    fn list(&self, x: &Tensor, times: i64) -> Result<Vec<Tensor>> {
        (0..times).map(|n| x.mul_scalar(n as f64)).collect()
    }

    #[method(composite)]
    fn parts(&self, x: &Tensor, times: i64) -> Result<(Tensor, Vec<Tensor>)> {
        Ok((x.mul_scalar(self.scale)?, (0..times).map(|n| x.mul_scalar(n as f64)).collect::<Result<_>>()?))
    }

    /// Called like nothing, and without a fake.
    fn rank(&self) -> i64 {
        self.sizes.len() as i64
    }
}

/// A class without entries.
#[torch_class(name = "test_ops::Empty", pickle, flatten)]
struct Empty {}

#[torch_class]
impl Empty {
    #[init]
    fn new() -> Self {
        Empty {}
    }

    #[method(fake = like(x))]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.mul_scalar(3.0)
    }
}

/// `x * the scale's factor`
#[torch_op(name = "test_ops::apply_scale", cpu)]
fn apply_scale(scale: &Scale, x: &Tensor) -> Result<Tensor> {
    scale.forward(x)
}

#[torch_op(fake_of = apply_scale)]
fn apply_scale_fake(_scale: &Scale, x: &FakeTensor) -> Result<FakeTensor> {
    x.empty_like()
}

#[torch_op(backward_of = apply_scale)]
fn apply_scale_backward(grad_output: &Tensor, scale: &Scale) -> Result<Tensor> {
    scale.forward(grad_output)
}

/// `x * rows`, where the object's size says that of the result: `[rows, x]`.
#[torch_op(name = "test_ops::apply_table", cpu)]
fn apply_table(x: &Tensor, table: &Table) -> Result<Tensor> {
    x.mul_scalar(table.scale)?.reshape(&[1, -1])?.mul(&table.rows.reshape(&[-1, 1])?)
}

#[torch_op(fake_of = apply_table)]
fn apply_table_fake(x: &FakeTensor, table: &Table) -> Result<FakeTensor> {
    x.new_empty(&[SymInt::from(table.rows.sizes()?.iter().product::<i64>()), x.sym_numel()?])
}

#[torch_op(name = "test_ops::two_scales", cpu, fake = like(x))]
fn two_scales(first: &Scale, x: &Tensor, second: &Scale) -> Result<Tensor> {
    second.forward(&first.forward(x)?)
}

/// `-x`
#[torch_op(schema = "test_ops::like_input(Tensor x, float a=1.0) -> Tensor", cpu, fake = like(x))]
fn like_input(x: &Tensor, a: f64) -> Result<Tensor> {
    x.mul_scalar(-a)
}

/// `x * the scale's factor`, or `x` times nothing without one.
#[torch_op(name = "test_ops::maybe_scale", cpu, fake = like(x))]
fn maybe_scale(x: &Tensor, scale: Option<TorchRef<Scale>>) -> Result<Tensor> {
    scale.map_or_else(|| x.deep_clone(), |scale| scale.get()?.forward(x))
}

#[torch_op(name = "test_ops::all_scales", cpu, fake = like(x))]
fn all_scales(x: &Tensor, scales: List<'_, TorchRef<Scale>>) -> Result<Tensor> {
    scales.iter().try_fold(x.deep_clone()?, |y, scale| scale.get()?.forward(&y))
}

#[torch_op(name = "test_ops::same_scale", composite_explicit)]
fn same_scale(scale: TorchRef<Scale>) -> TorchRef<Scale> {
    scale
}

#[torch_class]
impl Scale {
    /// `x * both factors`, by a fake that sees both objects.
    fn with_other(&self, other: &Scale, x: &Tensor) -> Result<Tensor> {
        other.forward(&self.forward(x)?)
    }

    #[fake(with_other)]
    fn with_other_fake(&self, other: &Scale, x: &FakeTensor) -> Result<FakeTensor> {
        if same_factor(self, other) { x.empty_like() } else { x.new_empty(&[x.sym_size(0)?, x.sym_size(1)?]) }
    }

    #[method(fake = like(x))]
    fn like_other(&self, other: &Scale, x: &Tensor) -> Result<Tensor> {
        self.with_other(other, x)
    }

    #[method(composite)]
    fn through_other(&self, other: &Scale, x: &Tensor) -> Result<Tensor> {
        self.with_other(other, x)
    }

    fn itself(&self) -> Self {
        Scale { factor: self.factor }
    }
}

fn same_factor(a: &Scale, b: &Scale) -> bool {
    a.factor == b.factor
}
