//! Results whose sizes depend on data, and operators without tensors among the arguments.

use torchop::prelude::*;

static NONZERO: TorchOp = TorchOp::new("aten::nonzero", "");
static MASKED_SELECT: TorchOp = TorchOp::new("aten::masked_select", "");
static UNIQUE: TorchOp = TorchOp::new("aten::unique_dim", "");
static GT: TorchOp = TorchOp::new("aten::gt", "Scalar");
static LE: TorchOp = TorchOp::new("aten::le", "Scalar");
static ITEM: TorchOp = TorchOp::new("aten::item", "");
static SELECT: TorchOp = TorchOp::new("aten::select", "int");
static ARGSORT: TorchOp = TorchOp::new("aten::argsort", "");
static INDEX_SELECT: TorchOp = TorchOp::new("aten::index_select", "");
static ARANGE: TorchOp = TorchOp::new("aten::arange", "");

/// The positions of what is not zero, one per row, row by row.
#[torch_op(schema = "test_ops::nonzero_rows(Tensor x) -> Tensor", cpu)]
pub fn nonzero_rows(x: &Tensor) -> Result<Tensor> {
    // Torch's own result is column-major.
    CLONE_ROWS.call::<Tensor>((&NONZERO.call::<Tensor>((x,))?, Some(MemoryFormat::Contiguous)))
}

static CLONE_ROWS: TorchOp = TorchOp::new("aten::clone", "");

#[torch_op(fake_of = nonzero_rows)]
fn nonzero_rows_fake(x: &FakeTensor, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> {
    x.new_empty_with_dtype(&[rows, x.dim()?.into()], DType::Int64)
}

/// The elements above and not above the limit: two sizes.
#[torch_op(schema = "test_ops::split_at(Tensor x, *, float limit=0.) -> (Tensor above, Tensor rest)", cpu)]
fn split_at(x: &Tensor, limit: f64) -> Result<(Tensor, Tensor)> {
    let above = GT.call::<Tensor>((x, Scalar::Float(limit)))?;
    let rest = LE.call::<Tensor>((x, Scalar::Float(limit)))?;
    Ok((MASKED_SELECT.call::<Tensor>((x, &above))?, MASKED_SELECT.call::<Tensor>((x, &rest))?))
}

#[torch_op(fake_of = split_at)]
fn split_at_fake(
    x: &FakeTensor,
    _limit: f64,
    #[torch(dynamic)] above: SymInt,
    #[torch(dynamic)] rest: SymInt,
) -> Result<(FakeTensor, FakeTensor)> {
    Ok((x.new_empty(&[above])?, x.new_empty(&[rest])?))
}

/// The different values in order, where each element's value stands, and how often each occurs: one size twice.
#[torch_op(schema = "test_ops::distinct(Tensor x) -> (Tensor values, Tensor places, Tensor counts)", cpu)]
fn distinct(x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let (flat, sizes) = (x.reshape(&[-1])?, x.sizes()?);
    let (values, places, counts) = UNIQUE.call::<(Tensor, Tensor, Tensor)>((&flat, 0_i64, true, true, true))?;
    let places = places.reshape(&sizes)?;
    let format = Some(MemoryFormat::Contiguous);
    Ok((values, CLONE_ROWS.call::<Tensor>((&places, format))?, counts))
}

#[torch_op(fake_of = distinct)]
fn distinct_fake(x: &FakeTensor, #[torch(dynamic)] values: SymInt) -> Result<(FakeTensor, FakeTensor, FakeTensor)> {
    Ok((
        x.new_empty(std::slice::from_ref(&values))?,
        x.new_empty_with_dtype(&x.sym_sizes()?, DType::Int64)?,
        x.new_empty_with_dtype(&[values], DType::Int64)?,
    ))
}

fn number(x: &Tensor) -> Result<f64> {
    ITEM.call::<f64>((x,))
}

/// The boxes `(x0, y0, x1, y1)` that are left when each takes away those with a lower score that overlap it by more than
/// `threshold` (intersection over union), the best first.
#[torch_op(schema = "test_ops::nms(Tensor boxes, Tensor scores, float threshold) -> Tensor", cpu)]
fn nms(boxes: &Tensor, scores: &Tensor, threshold: f64) -> Result<Tensor> {
    if boxes.size(0)? != scores.size(0)? {
        return Err(Error::value("expected one score for each box"));
    }
    let order = ARGSORT.call::<Tensor>((scores, -1_i64, true))?;
    let mut kept: Vec<(i64, [f64; 4])> = vec![];
    for rank in 0..order.size(0)? {
        let index = ITEM.call::<i64>((&SELECT.call::<Tensor>((&order, 0_i64, rank))?,))?;
        let row = SELECT.call::<Tensor>((boxes, 0_i64, index))?;
        let mut sides = [0.0; 4];
        for (side, at) in sides.iter_mut().zip(0_i64..) {
            *side = number(&SELECT.call::<Tensor>((&row, 0_i64, at))?)?;
        }
        if kept.iter().all(|(_, other)| overlap(other, &sides) <= threshold) {
            kept.push((index, sides));
        }
    }
    let all = ARANGE.call::<Tensor>((Scalar::Int(boxes.size(0)?), NONE, NONE, NONE, NONE))?;
    let mut indices = all.as_strided(&[0], &[1], 0)?.deep_clone()?;
    for (index, _) in kept {
        let one = all.as_strided(&[1], &[1], index)?;
        indices = CAT.call::<Tensor>((&[&indices, &one][..], 0_i64))?;
    }
    INDEX_SELECT.call::<Tensor>((&all, 0_i64, &indices))
}

static CAT: TorchOp = TorchOp::new("aten::cat", "");
const NONE: Option<i64> = None;

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let area = |r: &[f64; 4]| (r[2] - r[0]).max(0.0) * (r[3] - r[1]).max(0.0);
    let both = area(&[a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
    let either = area(a) + area(b) - both;
    if either > 0.0 { both / either } else { 0.0 }
}

#[torch_op(fake_of = nms)]
fn nms_fake(
    boxes: &FakeTensor,
    scores: &FakeTensor,
    _threshold: f64,
    #[torch(dynamic)] kept: SymInt,
) -> Result<FakeTensor> {
    boxes.sym_size(0)?.sym_eq(scores.sym_size(0)?)?.check("expected one score for each box")?;
    kept.sym_le(boxes.sym_size(0)?)?.check("no more boxes than there were")?;
    boxes.new_empty_with_dtype(&[kept], DType::Int64)
}

/// A fake that needs the number that nobody knows.
#[torch_op(schema = "test_ops::nonzero_too_early(Tensor x) -> Tensor", cpu)]
fn nonzero_too_early(x: &Tensor) -> Result<Tensor> {
    nonzero_rows::kernel(x)
}

#[torch_op(fake_of = nonzero_too_early)]
fn nonzero_too_early_fake(x: &FakeTensor, #[torch(dynamic)] rows: SymInt) -> Result<FakeTensor> {
    x.new_empty_with_dtype(&[rows.specialize()?.into(), x.dim()?.into()], DType::Int64)
}

/// `n, n-1, …, 1`: no tensor goes in.
#[torch_op(schema = "test_ops::countdown(SymInt n, *, Device? device=None) -> Tensor", composite_explicit)]
pub fn countdown(n: i64, _device: Option<Device>) -> Result<Tensor> {
    static START_STEP: TorchOp = TorchOp::new("aten::arange", "start_step");
    let numbers = (Scalar::Int(n), Scalar::Int(0), Scalar::Int(-1));
    START_STEP.call::<Tensor>((numbers.0, numbers.1, numbers.2, NONE, NONE, NONE, NONE))
}

#[torch_op(fake_of = countdown)]
fn countdown_fake(n: SymInt, _device: Option<Device>) -> Result<FakeTensor> {
    FakeTensor::empty(&[n], DType::Int64)
}
