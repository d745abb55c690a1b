//! Every type that an argument or a result can have.

use torchop::prelude::*;

macro_rules! echo {
    ($($name:ident $schema:literal: $argument:ty => $result:ty, $value:ident => $echo:expr;)*) => {$(
        #[torch_op(schema = $schema, composite_explicit)]
        fn $name($value: $argument) -> Result<$result> {
            Ok($echo)
        }
    )*};
}

echo! {
    echo_int "test_ops::echo_int(int v) -> int": i64 => i64, v => v;
    echo_sym_int "test_ops::echo_sym_int(SymInt v) -> SymInt": i64 => i64, v => v;
    echo_float "test_ops::echo_float(float v) -> float": f64 => f64, v => v;
    echo_bool "test_ops::echo_bool(bool v) -> bool": bool => bool, v => v;
    echo_str "test_ops::echo_str(str v) -> str": &str => String, v => v.to_owned();
    echo_int_opt "test_ops::echo_int_opt(int? v=None) -> int?": Option<i64> => Option<i64>, v => v;
    echo_float_opt "test_ops::echo_float_opt(float? v=None) -> float?": Option<f64> => Option<f64>, v => v;
    echo_bool_opt "test_ops::echo_bool_opt(bool? v=None) -> bool?": Option<bool> => Option<bool>, v => v;
    echo_str_opt "test_ops::echo_str_opt(str? v=None) -> str?": Option<&str> => Option<String>, v => v.map(str::to_owned);
    echo_ints "test_ops::echo_ints(int[] v) -> int[]": Vec<i64> => Vec<i64>, v => v;
    echo_sym_ints "test_ops::echo_sym_ints(SymInt[] v) -> int[]": List<'_, i64> => Vec<i64>, v => v.iter().collect();
    echo_floats "test_ops::echo_floats(float[] v) -> float[]": List<'_, f64> => Vec<f64>, v => v.iter().collect();
    echo_bools "test_ops::echo_bools(bool[] v) -> bool[]": Vec<bool> => Vec<bool>, v => v;
    echo_strs "test_ops::echo_strs(str[] v) -> str[]": Vec<&str> => Vec<String>, v => v.into_iter().map(str::to_owned).collect();
    echo_ints_opt "test_ops::echo_ints_opt(int[]? v=None) -> int[]?": Option<Vec<i64>> => Option<Vec<i64>>, v => v;
    echo_opt_ints "test_ops::echo_opt_ints(int?[] v) -> int?[]": Vec<Option<i64>> => Vec<Option<i64>>, v => v;
    echo_int_lists "test_ops::echo_int_lists(int[][] v) -> int[][]": Vec<Vec<i64>> => Vec<Vec<i64>>, v => v;
}

/// Copies of tensors in every position.
#[torch_op(schema = "test_ops::echo_tensors(Tensor[] v) -> Tensor[]", cpu)]
fn echo_tensors(v: List<'_, &Tensor>) -> Result<Vec<Tensor>> {
    v.iter().map(Tensor::deep_clone).collect()
}

#[torch_op(schema = "test_ops::echo_opt_tensors(Tensor?[] v) -> int", composite_explicit)]
fn echo_opt_tensors(v: List<'_, Option<&Tensor>>) -> i64 {
    // Bit i stands for a tensor at i.
    v.iter().enumerate().map(|(i, x)| i64::from(x.is_some()) << i).sum()
}

#[torch_op(schema = "test_ops::echo_tensor_opt(Tensor? v) -> Tensor?", composite_explicit)]
fn echo_tensor_opt(v: Option<&Tensor>) -> Result<Option<Tensor>> {
    v.map(Tensor::deep_clone).transpose()
}

#[torch_op(schema = "test_ops::several(Tensor x, str s) -> (Tensor, int, float, bool, str, Tensor?)", cpu)]
fn several(x: &Tensor, s: &str) -> Result<(Tensor, i64, f64, bool, String, Option<Tensor>)> {
    Ok((x.deep_clone()?, 3, 1.5, true, s.to_owned(), None))
}

#[torch_op(schema = "test_ops::nothing(Tensor x) -> ()", cpu)]
fn nothing(x: &Tensor) -> Result<()> {
    x.dim().map(|_| ())
}

/// Keyword-only, defaults, a name that Python keeps for itself, and an overload.
#[torch_op(
    schema = "test_ops::defaults.all(Tensor self, int a=3, *, float from=-1.5, str s=\"hé\", bool b=True, int[] k=[1, 2]) -> str",
    cpu
)]
fn defaults(self_: &Tensor, a: i64, from: f64, s: &str, b: bool, k: List<'_, i64>) -> Result<String> {
    Ok(format!("{} {a} {from} {s} {b} {:?}", self_.dim()?, k.iter().collect::<Vec<_>>()))
}

/// `n` rows that are each `x`.
#[torch_op(schema = "test_ops::rows(Tensor x, SymInt n) -> Tensor", cpu)]
fn rows(x: &Tensor, n: i64) -> Result<Tensor> {
    let (mut sizes, mut strides) = (vec![n], vec![0]);
    sizes.extend_from_slice(&x.sizes()?);
    strides.extend_from_slice(&x.strides()?);
    x.as_strided(&sizes, &strides, x.storage_offset()?)?.deep_clone()?.contiguous()
}

#[torch_op(fake_of = rows)]
fn rows_fake(x: &FakeTensor, n: SymInt) -> Result<FakeTensor> {
    let mut sizes = vec![n];
    sizes.extend(x.sym_sizes()?);
    x.new_empty(&sizes)
}

#[torch_op(backward_of = rows)]
fn rows_backward(grad_output: &Tensor) -> Result<Tensor> {
    crate::calls::sum_first(grad_output)
}

/// The same with `int`: a number that a compiled graph holds fast.
#[torch_op(schema = "test_ops::rows_int(Tensor x, int n) -> Tensor", cpu)]
fn rows_int(x: &Tensor, n: i64) -> Result<Tensor> {
    rows::kernel(x, n)
}

#[torch_op(fake_of = rows_int)]
fn rows_int_fake(x: &FakeTensor, n: i64) -> Result<FakeTensor> {
    rows_fake(x, n.into())
}

/// `x` spread to `sizes`, by a list of symbolic sizes; arithmetic on them.
#[torch_op(schema = "test_ops::spread(Tensor x, SymInt[] sizes) -> (Tensor, SymInt)", cpu)]
fn spread(x: &Tensor, sizes: Vec<i64>) -> Result<(Tensor, i64)> {
    let y = x.as_strided(&sizes, &vec![0; sizes.len()], x.storage_offset()?)?.deep_clone()?.contiguous()?;
    Ok((y, sizes.iter().map(|n| (n * 2 + 1 - n) / 1).product()))
}

#[torch_op(fake_of = spread)]
fn spread_fake(x: &FakeTensor, sizes: Vec<SymInt>) -> Result<(FakeTensor, SymInt)> {
    let mut product = SymInt::from(1);
    for n in &sizes {
        let next = n.mul(2)?.add(1)?.sub(n)?.floor_div(1)?;
        product = product.mul(&next)?;
    }
    Ok((x.new_empty(&sizes)?, product))
}

/// A fake that asks for the number.
#[torch_op(schema = "test_ops::specializes(Tensor x) -> Tensor", cpu)]
fn specializes(x: &Tensor) -> Result<Tensor> {
    x.deep_clone()
}

#[torch_op(fake_of = specializes)]
fn specializes_fake(x: &FakeTensor) -> Result<FakeTensor> {
    let rows = x.sym_size(0)?.specialize()?;
    let mut sizes = x.sym_sizes()?;
    sizes[0] = rows.into();
    x.new_empty(&sizes)
}
