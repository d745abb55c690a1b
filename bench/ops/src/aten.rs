//! Torch's operators called in a loop, held against `../../cpp/aten.cpp`.

use std::hint::black_box;
use torchop::aten;
use torchop::prelude::*;

macro_rules! cases {
    ($($schema:literal $name:ident |$x:ident, $y:ident, $rows:ident| $call:expr;)*) => {$(
        #[torch_op(schema = $schema, cpu)]
        fn $name($x: &Tensor, $y: &Tensor, $rows: &Tensor, turns: i64) -> Result<i64> {
            let _ = ($y, $rows);
            let mut dims = 0;
            for _ in 0..turns {
                let $x = black_box($x);
                let _ = $x;
                dims += $call?.dim()?;
            }
            Ok(dims)
        }
    )*};
}

cases! {
    "bench_aten_rust::add(Tensor x, Tensor y, Tensor rows, int turns) -> int" add |x, y, rows| aten::add(x, y, 1);
    "bench_aten_rust::mul_number(Tensor x, Tensor y, Tensor rows, int turns) -> int" mul_number |x, y, rows| aten::mul_scalar(x, 2.0);
    "bench_aten_rust::relu(Tensor x, Tensor y, Tensor rows, int turns) -> int" relu |x, y, rows| aten::relu(x);
    "bench_aten_rust::softmax(Tensor x, Tensor y, Tensor rows, int turns) -> int" softmax |x, y, rows| aten::softmax(x, -1, None);
    "bench_aten_rust::matmul(Tensor x, Tensor y, Tensor rows, int turns) -> int" matmul |x, y, rows| aten::matmul(x, &aten::t(y)?);
    "bench_aten_rust::sum_dim(Tensor x, Tensor y, Tensor rows, int turns) -> int" sum_dim |x, y, rows| aten::sum_dim_int_list(x, Some(&[1]), false, None);
    "bench_aten_rust::layer_norm(Tensor x, Tensor y, Tensor rows, int turns) -> int" layer_norm |x, y, rows| aten::layer_norm(x, &[4], None, None, 1e-5, false);
    "bench_aten_rust::max_dim(Tensor x, Tensor y, Tensor rows, int turns) -> int" max_dim |x, y, rows| aten::max_dim(x, 1, false).map(|(values, _)| values);
    "bench_aten_rust::cat(Tensor x, Tensor y, Tensor rows, int turns) -> int" cat |x, y, rows| aten::cat(&[x, y], 0);
    "bench_aten_rust::stack(Tensor x, Tensor y, Tensor rows, int turns) -> int" stack |x, y, rows| aten::stack(&[x, y], 0);
    "bench_aten_rust::transpose(Tensor x, Tensor y, Tensor rows, int turns) -> int" transpose |x, y, rows| aten::transpose(x, 0, 1);
    "bench_aten_rust::select(Tensor x, Tensor y, Tensor rows, int turns) -> int" select |x, y, rows| aten::select(x, 0, 1);
    "bench_aten_rust::view(Tensor x, Tensor y, Tensor rows, int turns) -> int" view |x, y, rows| aten::view(x, &[12]);
    "bench_aten_rust::permute(Tensor x, Tensor y, Tensor rows, int turns) -> int" permute |x, y, rows| aten::permute(x, &[1, 0]);
    "bench_aten_rust::slice(Tensor x, Tensor y, Tensor rows, int turns) -> int" slice |x, y, rows| aten::slice(x, 0, Some(1.into()), Some(3.into()), 1);
    "bench_aten_rust::empty(Tensor x, Tensor y, Tensor rows, int turns) -> int" empty |x, y, rows| aten::empty(&[3, 4], (), None);
    "bench_aten_rust::zeros(Tensor x, Tensor y, Tensor rows, int turns) -> int" zeros |x, y, rows| aten::zeros(&[3, 4], ());
    "bench_aten_rust::detach(Tensor x, Tensor y, Tensor rows, int turns) -> int" detach |x, y, rows| aten::detach(x);
    "bench_aten_rust::gather(Tensor x, Tensor y, Tensor rows, int turns) -> int" gather |x, y, rows| aten::index(x, &[Some(rows)]);
    "bench_aten_rust::std_dim(Tensor x, Tensor y, Tensor rows, int turns) -> int" std_dim |x, y, rows| aten::std_correction(x, Some(&[1]), Some(1_i64.into()), false);
    "bench_aten_rust::clamp(Tensor x, Tensor y, Tensor rows, int turns) -> int" clamp |x, y, rows| aten::clamp(x, Some(0.1.into()), Some(0.9.into()));
    "bench_aten_rust::chunk(Tensor x, Tensor y, Tensor rows, int turns) -> int" chunk |x, y, rows| aten::chunk(x, 3, 0).map(|parts| parts[0].clone());
    "bench_aten_rust::reshape(Tensor x, Tensor y, Tensor rows, int turns) -> int" reshape |x, y, rows| aten::reshape(x, &[12]);
    "bench_aten_rust::unsqueeze(Tensor x, Tensor y, Tensor rows, int turns) -> int" unsqueeze |x, y, rows| aten::unsqueeze(x, 0);
    "bench_aten_rust::index_select(Tensor x, Tensor y, Tensor rows, int turns) -> int" index_select |x, y, rows| aten::index_select(x, 0, rows);
    "bench_aten_rust::argmax(Tensor x, Tensor y, Tensor rows, int turns) -> int" argmax |x, y, rows| aten::argmax(x, Some(1), false);
    "bench_aten_rust::full(Tensor x, Tensor y, Tensor rows, int turns) -> int" full |x, y, rows| aten::full(&[3, 4], 2.0, ());
    "bench_aten_rust::topk(Tensor x, Tensor y, Tensor rows, int turns) -> int" topk |x, y, rows| aten::topk(x, 2, 1, true, true).map(|(values, _)| values);
    "bench_aten_rust::linear(Tensor x, Tensor y, Tensor rows, int turns) -> int" linear |x, y, rows| aten::linear(x, y, None);
}

#[torch_op(schema = "bench_aten_rust::add_in_place(Tensor x, Tensor y, Tensor rows, int turns) -> int", cpu)]
fn add_in_place(x: &Tensor, y: &Tensor, rows: &Tensor, turns: i64) -> Result<i64> {
    let _ = rows;
    let mut dims = 0;
    let mut sum = x.deep_clone()?;
    for _ in 0..turns {
        aten::add_(black_box(&mut sum), y, 1)?;
        dims += sum.dim()?;
    }
    Ok(dims)
}

#[torch_op(schema = "bench_aten_rust::choose(Tensor x, Tensor y, Tensor rows, int turns) -> int", cpu)]
fn choose(x: &Tensor, y: &Tensor, rows: &Tensor, turns: i64) -> Result<i64> {
    let _ = rows;
    let mut dims = 0;
    let mask = aten::gt_scalar(x, 0.5)?;
    for _ in 0..turns {
        dims += aten::where_self(black_box(&mask), x, y)?.dim()?;
    }
    Ok(dims)
}

#[torch_op(schema = "bench_aten_rust::item(Tensor x, Tensor y, Tensor rows, int turns) -> int", cpu)]
fn item(x: &Tensor, y: &Tensor, rows: &Tensor, turns: i64) -> Result<i64> {
    let _ = (y, rows);
    let (mut sum, one) = (0.0, x.sum()?);
    for _ in 0..turns {
        sum += aten::item(black_box(&one))?.as_f64()?;
    }
    Ok(i64::from(sum > 0.0))
}
