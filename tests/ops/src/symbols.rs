//! Fakes that calculate with sizes.

use torchop::prelude::*;

static PAD: TorchOp = TorchOp::new("aten::constant_pad_nd", "");
static NARROW: TorchOp = TorchOp::new("aten::narrow", "");

/// `x` in pieces of `size`, the last one filled up with zeros.
#[torch_op(schema = "test_ops::pieces(Tensor x, SymInt size) -> Tensor", cpu)]
pub fn pieces(x: &Tensor, size: i64) -> Result<Tensor> {
    if size < 1 {
        return Err(Error::value(format!("expected a positive size, got {size}")));
    }
    let (n, flat) = (x.numel()?, x.reshape(&[-1])?);
    let count = (n + size - 1) / size;
    let padded = PAD.call::<Tensor>((&flat, &[0, count * size - n][..], Scalar::Int(0)))?;
    padded.reshape(&[count, size])?.deep_clone()
}

#[torch_op(fake_of = pieces)]
fn pieces_fake(x: &FakeTensor, size: SymInt) -> Result<FakeTensor> {
    size.sym_ge(1)?.check("expected a positive size")?;
    x.new_empty(&[x.sym_numel()?.ceil_div(&size)?, size])
}

/// The first rows, `most` of them or as many as there are, each all of its numbers in one row; their number by every operation.
#[torch_op(schema = "test_ops::head(Tensor x, SymInt most) -> Tensor", cpu)]
pub fn head(x: &Tensor, most: i64) -> Result<Tensor> {
    let rows = most.min(x.size(0)?);
    let width: i64 = x.sizes()?.iter().skip(1).product();
    NARROW.call::<Tensor>((x, 0_i64, 0_i64, rows))?.reshape(&[rows, width])?.deep_clone()
}

#[torch_op(fake_of = head)]
fn head_fake(x: &FakeTensor, most: SymInt) -> Result<FakeTensor> {
    let sizes = x.sym_sizes()?;
    let Some((rows, rest)) = sizes.split_first() else { return Err(Error::value("expected rows")) };
    let rows = rows.min(&most)?;
    // What it amounts to: each operation once.
    let rows = ((&rows * 6 + 3).floor_div(6)? + (rows.modulo(1)?) - 0).max(0)?;
    x.new_empty(&[rows, SymInt::product(rest)?])
}

/// Twice as long if it is long, by a condition that asks no question of the graph.
#[torch_op(schema = "test_ops::doubled_if(Tensor x, bool on) -> Tensor", cpu)]
pub fn doubled_if(x: &Tensor, on: bool) -> Result<Tensor> {
    static CAT: TorchOp = TorchOp::new("aten::cat", "");
    static CLONE: TorchOp = TorchOp::new("aten::clone", "");
    if !on {
        return x.deep_clone();
    }
    CLONE.call::<Tensor>((&CAT.call::<Tensor>((&[x, x][..], 0_i64))?, Some(MemoryFormat::Contiguous)))
}

#[torch_op(fake_of = doubled_if)]
fn doubled_if_fake(x: &FakeTensor, on: SymBool) -> Result<FakeTensor> {
    if !on.specialize()? {
        return x.empty_like();
    }
    let mut sizes = x.sym_sizes()?;
    if let Some(first) = sizes.first_mut() {
        *first = first.mul(2)?;
    }
    x.new_empty(&sizes)
}

/// `x * factor`; the factor may come from a size.
#[torch_op(schema = "test_ops::scaled_by(Tensor x, float factor) -> Tensor", cpu)]
pub fn scaled_by(x: &Tensor, factor: f64) -> Result<Tensor> {
    x.mul_scalar(factor)
}

#[torch_op(fake_of = scaled_by)]
fn scaled_by_fake(x: &FakeTensor, factor: SymFloat) -> Result<FakeTensor> {
    // Both numbers, whatever they are: nothing is decided by them.
    factor.mul(&x.sym_numel()?.to_float()?)?.sqrt()?;
    x.empty_like()
}

/// What the arithmetic says of plain numbers: add, sub, mul, floor_div, ceil_div, modulo, min, max.
#[torch_op(schema = "test_ops::arithmetic(int a, int b) -> int[]", composite_explicit)]
fn arithmetic(a: i64, b: i64) -> Result<Vec<i64>> {
    let a = SymInt::from(a);
    let all = [a.add(b)?, a.sub(b)?, a.mul(b)?, a.floor_div(b)?, a.ceil_div(b)?, a.modulo(b)?, a.min(b)?, a.max(b)?];
    all.iter().map(SymInt::specialize).collect()
}

/// A copy, and a fake that is wrong about it in the way that is asked for.
#[torch_op(schema = "test_ops::wrong_fake(Tensor x, str how) -> Tensor", cpu)]
fn wrong_fake(x: &Tensor, _how: &str) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(fake_of = wrong_fake)]
fn wrong_fake_fake(x: &FakeTensor, how: &str) -> Result<FakeTensor> {
    match how {
        "sizes" => x.new_empty(&[x.sym_size(-1)?]),
        "dtype" => x.empty_like_with_dtype(DType::Int64),
        "strides" => x.new_empty(&x.sym_sizes()?),
        "list" => x.new_empty(&[]),
        _ => Err(Error::value("as asked for")),
    }
}

/// The first half of the rows: a composite function that asks for sizes as symbols, or as numbers.
#[torch_op(schema = "test_ops::first_half(Tensor x, bool as_numbers=False) -> Tensor", composite)]
fn first_half(x: &Tensor, as_numbers: bool) -> Result<Tensor> {
    let rows = if as_numbers { (x.size(0)? / 2).into() } else { x.sym_size(0)?.floor_div(2)? };
    NARROW.call::<Tensor>((x, 0_i64, 0_i64, rows))?.mul_scalar(1.0)
}

/// The sum over the rows, and a backward that spreads the gradient over sizes as symbols, or as numbers in one of the ways that there
/// are to ask for them.
#[torch_op(schema = "test_ops::sum_rows(Tensor x, str asks='') -> Tensor", cpu)]
fn sum_rows(x: &Tensor, _asks: &str) -> Result<Tensor> {
    static SUM: TorchOp = TorchOp::new("aten::sum", "dim_IntList");
    SUM.call::<Tensor>((x, &[0_i64][..], false, None::<DType>))
}

#[torch_op(fake_of = sum_rows)]
fn sum_rows_fake(x: &FakeTensor, _asks: &str) -> Result<FakeTensor> {
    x.new_empty(x.sym_sizes()?.get(1..).unwrap_or_default())
}

#[torch_op(backward_of = sum_rows)]
fn sum_rows_backward(grad_output: &Tensor, x: &Tensor, asks: &str) -> Result<Tensor> {
    static EXPAND: TorchOp = TorchOp::new("aten::expand", "");
    match asks {
        "" => {}
        "size" => drop(x.size(0)?),
        "sizes" => drop(x.sizes()?),
        "stride" => drop(x.stride(0)?),
        "strides" => drop(x.strides()?),
        "numel" => drop(x.numel()?),
        "storage_offset" => drop(NARROW.call::<Tensor>((x, 0_i64, x.sym_size(0)?.sub(1)?, 1_i64))?.storage_offset()?),
        other => return Err(Error::value(format!("there is no `{other}`"))),
    }
    EXPAND.call::<Tensor>((grad_output, x.sym_sizes()?, false))
}
