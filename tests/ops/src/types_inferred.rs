//! Definitions without a schema.

use std::collections::HashMap;
use torchop::prelude::*;

static ADD_SCALAR: TorchOp = TorchOp::new("aten::add_", "Scalar");
static MUL_SCALAR: TorchOp = TorchOp::new("aten::mul", "Scalar");

type Matrix<'a> = &'a Tensor;

#[derive(Clone, Copy, TorchEnum)]
enum Mode {
    Fast,
    Exact,
}

#[derive(TorchTuple)]
struct Span {
    start: i64,
    end: i64,
}

/// Everything that an argument can be.
#[torch_op(name = "test_types::inferred.all", cpu)]
#[allow(clippy::too_many_arguments)]
fn inferred(
    self_: Matrix<'_>,
    also: Option<&Tensor>,
    ts: &[Tensor],
    mode: Mode,
    span: Span,
    n: i64,
    sizes: &[i64],
    #[torch(int)] k: i64,
    #[torch(int)] ks: Vec<i64>,
    dict: Dict<'_, &str, i64>,
    #[torch(default = -1)] a: i64,
    #[torch(default = 2)] b: f64,
    #[torch(default = Some(0.5))] c: Option<f64>,
    #[torch(default = "exact")] m: Option<Mode>,
    #[torch(default = "it's \"quoted\" \\ \n")] s: &str,
    #[torch(default = [1, 2])] l: Vec<i64>,
    #[torch(default = "cpu")] device: Device,
    #[torch(default = float64)] dtype: DType,
    #[torch(default = None)] layout: Option<Layout>,
    #[torch(default = true)] flag: bool,
) -> Result<(Tensor, String, i64)> {
    let parts: Vec<String> = vec![
        format!("{} {} {n} {sizes:?} {k} {ks:?}", also.is_some(), ts.len()),
        format!("{} {} {} {}", mode as i64, span.start, span.end, dict.len()),
        format!("{a} {b} {c:?} {:?} {s:?} {l:?} {device} {dtype} {layout:?} {flag}", m.map(|m| m as i64)),
    ];
    Ok((self_.deep_clone()?, parts.join(" / "), n))
}

#[torch_op(name = "test_types::inferred_writes", cpu)]
fn inferred_writes(x: &mut Tensor, y: Option<&mut Tensor>, value: f64) -> Result<()> {
    for x in [Some(x), y].into_iter().flatten() {
        ADD_SCALAR.call::<Tensor>((&*x, Scalar::Float(value), Scalar::Int(1)))?;
    }
    Ok(())
}

/// A size that stays symbolic, and one that does not.
#[torch_op(name = "test_types::inferred_rows", cpu)]
fn inferred_rows(x: &Tensor, n: i64, #[torch(int)] scale: i64) -> Result<(Tensor, i64)> {
    let mut strides = vec![0];
    strides.extend_from_slice(&x.strides()?);
    let mut sizes = vec![n];
    sizes.extend_from_slice(&x.sizes()?);
    Ok((x.as_strided(&sizes, &strides, x.storage_offset()?)?.deep_clone()?.contiguous()?, n * scale))
}

#[torch_op(fake_of = inferred_rows)]
fn inferred_rows_fake(x: &FakeTensor, n: SymInt, scale: i64) -> Result<(FakeTensor, SymInt)> {
    let mut sizes = vec![n.clone()];
    sizes.extend(x.sym_sizes()?);
    Ok((x.new_empty(&sizes)?, n.mul(scale)?))
}

/// Has a gradient.
#[torch_op(name = "test_types::inferred_scale", composite_explicit)]
fn inferred_scale(x: &Tensor, _unused: Option<&Tensor>, #[torch(default = 3.0)] alpha: f64) -> Result<Tensor> {
    MUL_SCALAR.call::<Tensor>((x, Scalar::Float(alpha)))
}

#[torch_op(backward_of = inferred_scale)]
fn inferred_scale_backward(
    grad_output: &Tensor,
    alpha: f64,
    needs_grad_x: bool,
) -> Result<(Option<Tensor>, Option<Tensor>)> {
    let grad = needs_grad_x.then(|| MUL_SCALAR.call::<Tensor>((grad_output, Scalar::Float(alpha))));
    Ok((grad.transpose()?, None))
}

/// No arguments, several results, one of which is a tuple; and nothing at all.
#[torch_op(name = "test_types::inferred_results", composite_explicit)]
fn inferred_results() -> Result<(Span, Option<bool>, HashMap<String, f64>)> {
    Ok((Span { start: 1, end: 2 }, None, HashMap::from([("a".to_owned(), 0.5)])))
}

#[torch_op(name = "test_types::inferred_span", composite_explicit)]
fn inferred_span(v: Span) -> Span {
    v
}

#[torch_op(name = "test_types::inferred_nothing", composite_explicit)]
fn inferred_nothing() {}
