//! Each type of torch's schema language as an argument and as a result, for the table of `docs/types.md`
//! (tests/matrix/cases.py has the values).
//!
//! `takes_<type>` tells what it received. `gives_<type>` returns the value of that number, which `takes_<type>` then tells.
//! Both take a tensor, so that they are part of a graph.

mod results;
mod show;

use show::{Show, WORDS, to_tensor};
use torchop::prelude::*;

/// An object that can be traced.
#[torch_class(name = "test_matrix::Part", flatten, pickle)]
pub struct Part {
    weight: f64,
}

#[torch_class]
impl Part {
    #[init]
    fn new(weight: f64) -> Self {
        Part { weight }
    }

    #[getter]
    fn weight(&self) -> f64 {
        self.weight
    }
}

/// The fake of every text.
fn like_text(x: &FakeTensor) -> Result<FakeTensor> {
    x.new_empty(&[(WORDS as i64).into()])
}

/// Name, schema, the type in Rust, and in the fake where it is another.
macro_rules! takes {
    ($($name:ident $schema:literal: $type:ty $(, $fake:ty)?;)*) => {$(
        mod $name {
            use super::*;

            #[torch_op(schema = $schema, cpu)]
            fn takes(x: &Tensor, v: $type) -> Result<Tensor> {
                x.dim()?;
                to_tensor(&v.show()?)
            }

            #[torch_op(fake_of = takes)]
            fn takes_fake(x: &FakeTensor, v: takes!(@fake $type $(, $fake)?)) -> Result<FakeTensor> {
                let _ = v;
                like_text(x)
            }
        }
    )*};
    (@fake $type:ty) => { $type };
    (@fake $type:ty, $fake:ty) => { $fake };
}

takes! {
    int "test_matrix::takes_int(Tensor x, int v) -> Tensor": i64;
    sym_int "test_matrix::takes_sym_int(Tensor x, SymInt v) -> Tensor": i64, SymInt;
    float "test_matrix::takes_float(Tensor x, float v) -> Tensor": f64;
    boolean "test_matrix::takes_bool(Tensor x, bool v) -> Tensor": bool;
    string "test_matrix::takes_str(Tensor x, str v) -> Tensor": &str;
    complex "test_matrix::takes_complex(Tensor x, complex v) -> Tensor": Complex64;
    scalar "test_matrix::takes_scalar(Tensor x, Scalar v) -> Tensor": Scalar;
    dtype "test_matrix::takes_dtype(Tensor x, ScalarType v) -> Tensor": DType;
    layout "test_matrix::takes_layout(Tensor x, Layout v) -> Tensor": Layout;
    memory_format "test_matrix::takes_memory_format(Tensor x, MemoryFormat v) -> Tensor": MemoryFormat;
    device "test_matrix::takes_device(Tensor x, Device v) -> Tensor": Device;
    generator "test_matrix::takes_generator(Tensor x, Generator v) -> Tensor": Generator;
    stream "test_matrix::takes_stream(Tensor x, Stream v) -> Tensor": Stream;
    tensor "test_matrix::takes_tensor(Tensor x, Tensor v) -> Tensor": &Tensor, &FakeTensor;
    class "test_matrix::takes_class(Tensor x, __torch__.torch.classes.test_matrix.Part v) -> Tensor": &Part;

    int_opt "test_matrix::takes_int_opt(Tensor x, int? v) -> Tensor": Option<i64>;
    sym_int_opt "test_matrix::takes_sym_int_opt(Tensor x, SymInt? v) -> Tensor": Option<i64>, Option<SymInt>;
    float_opt "test_matrix::takes_float_opt(Tensor x, float? v) -> Tensor": Option<f64>;
    bool_opt "test_matrix::takes_bool_opt(Tensor x, bool? v) -> Tensor": Option<bool>;
    str_opt "test_matrix::takes_str_opt(Tensor x, str? v) -> Tensor": Option<&str>;
    complex_opt "test_matrix::takes_complex_opt(Tensor x, complex? v) -> Tensor": Option<Complex64>;
    scalar_opt "test_matrix::takes_scalar_opt(Tensor x, Scalar? v) -> Tensor": Option<Scalar>;
    dtype_opt "test_matrix::takes_dtype_opt(Tensor x, ScalarType? v) -> Tensor": Option<DType>;
    layout_opt "test_matrix::takes_layout_opt(Tensor x, Layout? v) -> Tensor": Option<Layout>;
    memory_format_opt "test_matrix::takes_memory_format_opt(Tensor x, MemoryFormat? v) -> Tensor": Option<MemoryFormat>;
    device_opt "test_matrix::takes_device_opt(Tensor x, Device? v) -> Tensor": Option<Device>;
    generator_opt "test_matrix::takes_generator_opt(Tensor x, Generator? v) -> Tensor": Option<Generator>;
    stream_opt "test_matrix::takes_stream_opt(Tensor x, Stream? v) -> Tensor": Option<Stream>;
    tensor_opt "test_matrix::takes_tensor_opt(Tensor x, Tensor? v) -> Tensor": Option<&Tensor>, Option<&FakeTensor>;
    class_opt "test_matrix::takes_class_opt(Tensor x, __torch__.torch.classes.test_matrix.Part? v) -> Tensor": Option<&Part>;

    ints "test_matrix::takes_ints(Tensor x, int[] v) -> Tensor": Vec<i64>;
    sym_ints "test_matrix::takes_sym_ints(Tensor x, SymInt[] v) -> Tensor": Vec<i64>, Vec<SymInt>;
    floats "test_matrix::takes_floats(Tensor x, float[] v) -> Tensor": Vec<f64>;
    bools "test_matrix::takes_bools(Tensor x, bool[] v) -> Tensor": Vec<bool>;
    strs "test_matrix::takes_strs(Tensor x, str[] v) -> Tensor": Vec<&str>;
    complexes "test_matrix::takes_complexes(Tensor x, complex[] v) -> Tensor": Vec<Complex64>;
    scalars "test_matrix::takes_scalars(Tensor x, Scalar[] v) -> Tensor": Vec<Scalar>;
    dtypes "test_matrix::takes_dtypes(Tensor x, ScalarType[] v) -> Tensor": Vec<DType>;
    layouts "test_matrix::takes_layouts(Tensor x, Layout[] v) -> Tensor": Vec<Layout>;
    devices "test_matrix::takes_devices(Tensor x, Device[] v) -> Tensor": Vec<Device>;
    tensors "test_matrix::takes_tensors(Tensor x, Tensor[] v) -> Tensor": Vec<&Tensor>, Vec<&FakeTensor>;
    opt_tensors "test_matrix::takes_opt_tensors(Tensor x, Tensor?[] v) -> Tensor": Vec<Option<&Tensor>>, Vec<Option<&FakeTensor>>;
    classes "test_matrix::takes_classes(Tensor x, __torch__.torch.classes.test_matrix.Part[] v) -> Tensor": Vec<&Part>;

    sized_ints "test_matrix::takes_sized_ints(Tensor x, int[3] v) -> Tensor": [i64; 3];
    int_lists "test_matrix::takes_int_lists(Tensor x, int[][] v) -> Tensor": Vec<Vec<i64>>;
    opt_ints "test_matrix::takes_opt_ints(Tensor x, int?[] v) -> Tensor": Vec<Option<i64>>;
    opt_floats "test_matrix::takes_opt_floats(Tensor x, float?[] v) -> Tensor": Vec<Option<f64>>;
    opt_strs "test_matrix::takes_opt_strs(Tensor x, str?[] v) -> Tensor": Vec<Option<&str>>;
    ints_opt "test_matrix::takes_ints_opt(Tensor x, int[]? v) -> Tensor": Option<Vec<i64>>;
    sym_ints_opt "test_matrix::takes_sym_ints_opt(Tensor x, SymInt[]? v) -> Tensor": Option<Vec<i64>>, Option<Vec<SymInt>>;
    floats_opt "test_matrix::takes_floats_opt(Tensor x, float[]? v) -> Tensor": Option<Vec<f64>>;
    bools_opt "test_matrix::takes_bools_opt(Tensor x, bool[]? v) -> Tensor": Option<Vec<bool>>;
    strs_opt "test_matrix::takes_strs_opt(Tensor x, str[]? v) -> Tensor": Option<Vec<&str>>;
    tensors_opt "test_matrix::takes_tensors_opt(Tensor x, Tensor[]? v) -> Tensor": Option<Vec<&Tensor>>, Option<Vec<&FakeTensor>>;
    tuple "test_matrix::takes_tuple(Tensor x, (int, str) v) -> Tensor": (i64, &str);
    tuples "test_matrix::takes_tuples(Tensor x, (int, float)[] v) -> Tensor": Vec<(i64, f64)>;
    dict "test_matrix::takes_dict(Tensor x, Dict(str, int) v) -> Tensor": Dict<'_, &str, i64>;
    dict_of_lists "test_matrix::takes_dict_of_lists(Tensor x, Dict(str, float[]) v) -> Tensor": Dict<'_, &str, Vec<f64>>;
}

static ADD_SCALAR: TorchOp = TorchOp::new("aten::add_", "Scalar");

/// Adds `by`.
#[torch_op(schema = "test_matrix::writes_tensor(Tensor(a!) v, int by) -> ()", cpu)]
fn writes_tensor(v: &mut Tensor, by: i64) -> Result<()> {
    ADD_SCALAR.call::<Tensor>((&*v, Scalar::Int(by), Scalar::Int(1))).map(drop)
}

#[torch_op(fake_of = writes_tensor)]
fn writes_tensor_fake(v: &FakeTensor, by: i64) {
    let _ = (v, by);
}

/// Adds `by`, where there is a tensor.
#[torch_op(schema = "test_matrix::writes_tensor_opt(Tensor x, Tensor(a!)? v, int by) -> ()", cpu)]
fn writes_tensor_opt(x: &Tensor, v: Option<&mut Tensor>, by: i64) -> Result<()> {
    x.dim()?;
    v.map_or(Ok(()), |v| writes_tensor::kernel(v, by))
}

#[torch_op(fake_of = writes_tensor_opt)]
fn writes_tensor_opt_fake(x: &FakeTensor, v: Option<&FakeTensor>, by: i64) {
    let _ = (x, v, by);
}
