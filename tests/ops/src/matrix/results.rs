//! `gives_<type>`: the value of number `which`, the same in the fake.

use std::collections::HashMap;
use torchop::prelude::*;

/// Name, schema, the type in Rust and in the fake where it is another, and the values of cases.py.
macro_rules! gives {
    ($($name:ident $schema:literal: $type:ty $(, $fake:ty)? = [$($value:expr),* $(,)?];)*) => {$(
        mod $name {
            use super::*;

            #[torch_op(schema = $schema, cpu)]
            fn gives(x: &Tensor, which: i64) -> Result<$type> {
                x.dim()?;
                let values: Vec<$type> = vec![$($value),*];
                values.into_iter().nth(which as usize).ok_or_else(|| Error::index(format!("no value number {which}")))
            }

            #[torch_op(fake_of = gives)]
            fn gives_fake(x: &FakeTensor, which: i64) -> Result<gives!(@fake $type $(, $fake)?)> {
                x.dim()?;
                let values: Vec<$type> = vec![$($value),*];
                match values.into_iter().nth(which as usize) {
                    Some(value) => Ok(value.into()),
                    None => Err(Error::index(format!("no value number {which}"))),
                }
            }
        }
    )*};
    (@fake $type:ty) => { $type };
    (@fake $type:ty, $fake:ty) => { $fake };
}

const BIG: i64 = 1 << 62;

fn text(text: &str) -> String {
    text.to_owned()
}

gives! {
    int "test_matrix::gives_int(Tensor x, int which) -> int": i64 = [7];
    sym_int "test_matrix::gives_sym_int(Tensor x, int which) -> SymInt": i64, SymInt = [7];
    float "test_matrix::gives_float(Tensor x, int which) -> float": f64 = [0.5];
    boolean "test_matrix::gives_bool(Tensor x, int which) -> bool": bool = [true];
    string "test_matrix::gives_str(Tensor x, int which) -> str": String = [text("é✓")];
    complex "test_matrix::gives_complex(Tensor x, int which) -> complex": Complex64 = [Complex64::new(1.5, -2.0)];
    scalar "test_matrix::gives_scalar(Tensor x, int which) -> Scalar": Scalar = [Scalar::Int(3), Scalar::Complex(Complex64::new(0.0, 1.0))];
    dtype "test_matrix::gives_dtype(Tensor x, int which) -> ScalarType": DType = [DType::BFloat16];
    layout "test_matrix::gives_layout(Tensor x, int which) -> Layout": Layout = [Layout::Strided];
    memory_format "test_matrix::gives_memory_format(Tensor x, int which) -> MemoryFormat": MemoryFormat = [MemoryFormat::ChannelsLast];
    device "test_matrix::gives_device(Tensor x, int which) -> Device": Device = [Device { kind: DeviceType::Cpu, index: None }];

    int_opt "test_matrix::gives_int_opt(Tensor x, int which) -> int?": Option<i64> = [None, Some(3)];
    float_opt "test_matrix::gives_float_opt(Tensor x, int which) -> float?": Option<f64> = [None, Some(0.5)];
    bool_opt "test_matrix::gives_bool_opt(Tensor x, int which) -> bool?": Option<bool> = [None, Some(true)];
    str_opt "test_matrix::gives_str_opt(Tensor x, int which) -> str?": Option<String> = [None, Some(text("a"))];
    ints "test_matrix::gives_ints(Tensor x, int which) -> int[]": Vec<i64> = [vec![], vec![1, -2, BIG]];
    floats "test_matrix::gives_floats(Tensor x, int which) -> float[]": Vec<f64> = [vec![], vec![0.5, -1.0]];
    bools "test_matrix::gives_bools(Tensor x, int which) -> bool[]": Vec<bool> = [vec![], vec![true, false]];
    strs "test_matrix::gives_strs(Tensor x, int which) -> str[]": Vec<String> = [vec![], vec![text("a"), text("")]];
    tuple "test_matrix::gives_tuple(Tensor x, int which) -> ((int, str))": ((i64, String),) = [((3, text("a")),)];
    dict "test_matrix::gives_dict(Tensor x, int which) -> Dict(str, int)": HashMap<String, i64> = [HashMap::from([(text("a"), 1)])];
}

static ADD: TorchOp = TorchOp::new("aten::add", "Scalar");

fn more(x: &Tensor, by: i64) -> Result<Tensor> {
    ADD.call::<Tensor>((x, Scalar::Int(by), Scalar::Int(1)))
}

#[torch_op(schema = "test_matrix::gives_tensor(Tensor x, int which) -> Tensor", cpu)]
fn gives_tensor(x: &Tensor, which: i64) -> Result<Tensor> {
    more(x, which)
}

#[torch_op(fake_of = gives_tensor)]
fn gives_tensor_fake(x: &FakeTensor, which: i64) -> Result<FakeTensor> {
    let _ = which;
    x.empty_like()
}

#[torch_op(schema = "test_matrix::gives_tensor_opt(Tensor x, int which) -> Tensor?", cpu)]
fn gives_tensor_opt(x: &Tensor, which: i64) -> Result<Option<Tensor>> {
    (which > 0).then(|| more(x, which)).transpose()
}

#[torch_op(fake_of = gives_tensor_opt)]
fn gives_tensor_opt_fake(x: &FakeTensor, which: i64) -> Result<Option<FakeTensor>> {
    (which > 0).then(|| x.empty_like()).transpose()
}

/// As many as `which`.
#[torch_op(schema = "test_matrix::gives_tensors(Tensor x, int which) -> Tensor[]", cpu)]
fn gives_tensors(x: &Tensor, which: i64) -> Result<Vec<Tensor>> {
    (0..which).map(|by| more(x, by)).collect()
}

#[torch_op(fake_of = gives_tensors)]
fn gives_tensors_fake(x: &FakeTensor, which: i64) -> Result<Vec<FakeTensor>> {
    (0..which).map(|_| x.empty_like()).collect()
}

#[torch_op(schema = "test_matrix::gives_two(Tensor x, int which) -> (Tensor, Tensor)", cpu)]
fn gives_two(x: &Tensor, which: i64) -> Result<(Tensor, Tensor)> {
    Ok((more(x, which)?, more(x, which + 1)?))
}

#[torch_op(fake_of = gives_two)]
fn gives_two_fake(x: &FakeTensor, which: i64) -> Result<(FakeTensor, FakeTensor)> {
    let _ = which;
    Ok((x.empty_like()?, x.empty_like()?))
}

#[torch_op(schema = "test_matrix::gives_tensor_and_opt(Tensor x, int which) -> (Tensor, Tensor?)", cpu)]
fn gives_tensor_and_opt(x: &Tensor, which: i64) -> Result<(Tensor, Option<Tensor>)> {
    Ok((more(x, which)?, gives_tensor_opt::kernel(x, which)?))
}

#[torch_op(fake_of = gives_tensor_and_opt)]
fn gives_tensor_and_opt_fake(x: &FakeTensor, which: i64) -> Result<(FakeTensor, Option<FakeTensor>)> {
    Ok((x.empty_like()?, gives_tensor_opt_fake(x, which)?))
}

#[torch_op(schema = "test_matrix::gives_tensor_and_int(Tensor x, int which) -> (Tensor, int)", cpu)]
fn gives_tensor_and_int(x: &Tensor, which: i64) -> Result<(Tensor, i64)> {
    Ok((more(x, which)?, which))
}

#[torch_op(fake_of = gives_tensor_and_int)]
fn gives_tensor_and_int_fake(x: &FakeTensor, which: i64) -> Result<(FakeTensor, i64)> {
    Ok((x.empty_like()?, which))
}

/// A number that only the data knows; the fake says 0.
#[torch_op(schema = "test_matrix::gives_tensor_and_count(Tensor x, int which) -> (Tensor, int)", cpu)]
fn gives_tensor_and_count(x: &Tensor, which: i64) -> Result<(Tensor, i64)> {
    Ok((more(x, which)?, which))
}

#[torch_op(fake_of = gives_tensor_and_count)]
fn gives_tensor_and_count_fake(x: &FakeTensor, which: i64) -> Result<(FakeTensor, i64)> {
    let _ = which;
    Ok((x.empty_like()?, 0))
}
