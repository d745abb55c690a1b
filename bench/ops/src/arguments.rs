//! Four arguments of each type, beside a tensor: what one argument costs.

use torchop::prelude::*;

macro_rules! takes_four {
    ($($name:ident $schema:literal $type:ty;)*) => {$(
        #[torch_op(schema = $schema, cpu)]
        fn $name(_x: &Tensor, _a: $type, _b: $type, _c: $type, _d: $type) -> i64 {
            0
        }
    )*};
}

takes_four! {
    of_tensor "bench_rust::of_tensor(Tensor x, Tensor a, Tensor b, Tensor c, Tensor d) -> int" &Tensor;
    of_optional_tensor "bench_rust::of_optional_tensor(Tensor x, Tensor? a, Tensor? b, Tensor? c, Tensor? d) -> int" Option<&Tensor>;
    of_int "bench_rust::of_int(Tensor x, int a, int b, int c, int d) -> int" i64;
    of_sym_int "bench_rust::of_sym_int(Tensor x, SymInt a, SymInt b, SymInt c, SymInt d) -> int" i64;
    of_float "bench_rust::of_float(Tensor x, float a, float b, float c, float d) -> int" f64;
    of_bool "bench_rust::of_bool(Tensor x, bool a, bool b, bool c, bool d) -> int" bool;
    of_optional_float "bench_rust::of_optional_float(Tensor x, float? a, float? b, float? c, float? d) -> int" Option<f64>;
    of_complex "bench_rust::of_complex(Tensor x, complex a, complex b, complex c, complex d) -> int" Complex64;
    of_scalar "bench_rust::of_scalar(Tensor x, Scalar a, Scalar b, Scalar c, Scalar d) -> int" Scalar;
    of_dtype "bench_rust::of_dtype(Tensor x, ScalarType a, ScalarType b, ScalarType c, ScalarType d) -> int" DType;
    of_layout "bench_rust::of_layout(Tensor x, Layout a, Layout b, Layout c, Layout d) -> int" Layout;
    of_memory_format "bench_rust::of_memory_format(Tensor x, MemoryFormat a, MemoryFormat b, MemoryFormat c, MemoryFormat d) -> int" MemoryFormat;
    of_device "bench_rust::of_device(Tensor x, Device a, Device b, Device c, Device d) -> int" Device;
    of_generator "bench_rust::of_generator(Tensor x, Generator? a, Generator? b, Generator? c, Generator? d) -> int" Option<Generator>;
    of_str "bench_rust::of_str(Tensor x, str a, str b, str c, str d) -> int" &str;
    of_optional_str "bench_rust::of_optional_str(Tensor x, str? a, str? b, str? c, str? d) -> int" Option<&str>;
    of_int_list "bench_rust::of_int_list(Tensor x, int[] a, int[] b, int[] c, int[] d) -> int" List<'_, i64>;
    of_int_slice "bench_rust::of_int_slice(Tensor x, int[] a, int[] b, int[] c, int[] d) -> int" &[i64];
    of_float_slice "bench_rust::of_float_slice(Tensor x, float[] a, float[] b, float[] c, float[] d) -> int" &[f64];
    of_bool_list "bench_rust::of_bool_list(Tensor x, bool[] a, bool[] b, bool[] c, bool[] d) -> int" List<'_, bool>;
    of_str_list "bench_rust::of_str_list(Tensor x, str[] a, str[] b, str[] c, str[] d) -> int" List<'_, &str>;
    of_tensor_list "bench_rust::of_tensor_list(Tensor x, Tensor[] a, Tensor[] b, Tensor[] c, Tensor[] d) -> int" List<'_, &Tensor>;
    of_optional_tensor_list "bench_rust::of_optional_tensor_list(Tensor x, Tensor?[] a, Tensor?[] b, Tensor?[] c, Tensor?[] d) -> int" List<'_, Option<&Tensor>>;
    of_dict "bench_rust::of_dict(Tensor x, Dict(str, Tensor) a, Dict(str, Tensor) b, Dict(str, Tensor) c, Dict(str, Tensor) d) -> int" Dict<'_, &str, &Tensor>;
}
