//! Numbers, dtypes, devices and the like, in every position: alone, optional, in lists.

use torchop::prelude::*;

macro_rules! echo {
    ($($name:ident $schema:literal: $ty:ty;)*) => {$(
        #[torch_op(schema = $schema, composite_explicit)]
        fn $name(v: $ty) -> $ty {
            v
        }
    )*};
}

echo! {
    complex "test_types::complex(complex v) -> complex": Complex64;
    complex_opt "test_types::complex_opt(complex? v=None) -> complex?": Option<Complex64>;
    complexes "test_types::complexes(complex[] v) -> complex[]": Vec<Complex64>;
    scalar "test_types::scalar(Scalar v=1.5) -> Scalar": Scalar;
    scalar_opt "test_types::scalar_opt(Scalar? v=None) -> Scalar?": Option<Scalar>;
    scalars "test_types::scalars(Scalar[] v) -> Scalar[]": Vec<Scalar>;
    dtype "test_types::dtype(ScalarType v=float32) -> ScalarType": DType;
    dtype_opt "test_types::dtype_opt(ScalarType? v=None) -> ScalarType?": Option<DType>;
    dtypes "test_types::dtypes(ScalarType[] v) -> ScalarType[]": Vec<DType>;
    layout "test_types::layout(Layout v=strided) -> Layout": Layout;
    layout_opt "test_types::layout_opt(Layout? v=None) -> Layout?": Option<Layout>;
    memory_format "test_types::memory_format(MemoryFormat v=contiguous_format) -> MemoryFormat": MemoryFormat;
    memory_format_opt "test_types::memory_format_opt(MemoryFormat? v=None) -> MemoryFormat?": Option<MemoryFormat>;
    device "test_types::device(Device v='cuda:1') -> Device": Device;
    device_opt "test_types::device_opt(Device? v=None) -> Device?": Option<Device>;
    devices "test_types::devices(Device[] v) -> Device[]": Vec<Device>;
    stream "test_types::stream(Stream v) -> Stream": Stream;
    stream_opt "test_types::stream_opt(Stream? v=None) -> Stream?": Option<Stream>;
    generator "test_types::generator(Generator v) -> Generator": Generator;
    generator_opt "test_types::generator_opt(Generator? v=None) -> Generator?": Option<Generator>;
    int_opt "test_types::int_opt(int? v) -> int?": Option<i64>;
    floats_opt "test_types::floats_opt(float[]? v=None) -> float[]?": Option<Vec<f64>>;
    opt_floats "test_types::opt_floats(float?[] v) -> float?[]": Vec<Option<f64>>;
    bool_lists "test_types::bool_lists(bool[][] v) -> bool[][]": Vec<Vec<bool>>;
    fixed "test_types::fixed(int[3] v) -> int[]": [i64; 3];
    fixed_default "test_types::fixed_default(int[2] v=1) -> int[]": [i64; 2];
}

/// What Rust sees of each: the names that Rust has for them.
#[torch_op(
    schema = "test_types::seen(ScalarType d, Layout l, MemoryFormat m, Device v, Scalar s) -> str",
    composite_explicit
)]
fn seen(d: DType, l: Layout, m: MemoryFormat, v: Device, s: Scalar) -> String {
    format!("{d:?} {l:?} {m:?} {v} {s:?}")
}

/// Lists that are copied to the call's own memory.
#[torch_op(schema = "test_types::slices(int[] a, float[] b, bool[] c, Tensor[] d, SymInt[]? e=None) -> str", cpu)]
fn slices(a: &[i64], b: &[f64], c: &[bool], d: &[Tensor], e: Option<&[i64]>) -> Result<String> {
    let sizes: Vec<i64> = d.iter().map(Tensor::dim).collect::<Result<_>>()?;
    Ok(format!("{a:?} {b:?} {c:?} {sizes:?} {e:?}"))
}

/// Every argument type at once, each in a call from Rust through the dispatcher.
#[torch_op(schema = "test_types::calls_others(Tensor x, Generator g) -> str", cpu)]
fn calls_others(x: &Tensor, g: Generator) -> Result<String> {
    let c = complex(Complex64::new(1.0, -2.0))?;
    let s = scalars(vec![Scalar::Bool(true), Scalar::Int(2), Scalar::Float(0.5), Scalar::Complex(c)])?;
    let d = dtype(DType::BFloat16)?;
    let v = device(Device { kind: DeviceType::Cuda, index: Some(3) })?;
    let l = layout_opt(Some(Layout::SparseCsr))?;
    let m = memory_format(MemoryFormat::ChannelsLast)?;
    let seed = generator(g)?.seed()?;
    let f = slices(&[1, 2], &[0.5], &[true], std::slice::from_ref(x), Some(&[7]))?;
    let k = fixed([1, 2, 3])?;
    Ok(format!("{c} {s:?} {d} {v} {l:?} {m:?} {seed} {f} {k:?}"))
}
