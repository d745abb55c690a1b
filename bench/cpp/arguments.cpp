// Four arguments of each type, beside a tensor: typed functions, and an empty boxed kernel for the same schemas.
#include <torch/library.h>

namespace {

using at::Tensor;

template <class T>
int64_t four(const Tensor& x, T a, T b, T c, T d) {
  return 0;
}

void empty(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  torch::jit::drop(*stack, 5);
  torch::jit::push(*stack, int64_t{0});
}

#define COMMA ,
// How to name it, torch's type, the type in C++.
#define TYPES(X) \
  X(tensor, "Tensor", const Tensor&) \
  X(optional_tensor, "Tensor?", const std::optional<Tensor>&) \
  X(int, "int", int64_t) \
  X(sym_int, "SymInt", c10::SymInt) \
  X(float, "float", double) \
  X(bool, "bool", bool) \
  X(optional_float, "float?", std::optional<double>) \
  X(complex, "complex", c10::complex<double>) \
  X(scalar, "Scalar", const at::Scalar&) \
  X(dtype, "ScalarType", at::ScalarType) \
  X(layout, "Layout", at::Layout) \
  X(memory_format, "MemoryFormat", at::MemoryFormat) \
  X(device, "Device", at::Device) \
  X(generator, "Generator?", std::optional<at::Generator>) \
  X(str, "str", std::string_view) \
  X(optional_str, "str?", std::optional<std::string_view>) \
  X(int_list, "int[]", at::IntArrayRef) \
  X(int_slice, "int[]", at::IntArrayRef) \
  X(float_slice, "float[]", at::ArrayRef<double>) \
  X(bool_list, "bool[]", const c10::List<bool>&) \
  X(str_list, "str[]", const c10::List<std::string>&) \
  X(tensor_list, "Tensor[]", at::TensorList) \
  X(optional_tensor_list, "Tensor?[]", const c10::List<std::optional<Tensor>>&) \
  X(dict, "Dict(str, Tensor)", const c10::Dict<std::string COMMA Tensor>&)
#define DEFINE(name, text, T) m.def("of_" #name "(Tensor x, " text " a, " text " b, " text " c, " text " d) -> int");
#define TYPED(name, text, T) m.impl("of_" #name, &four<T>);
#define BOXED(name, text, T) m.impl("of_" #name, torch::CppFunction::makeFromBoxedFunction<&empty>());

} // namespace

TORCH_LIBRARY_FRAGMENT(bench_typed, m) { TYPES(DEFINE) }
TORCH_LIBRARY_FRAGMENT(bench_boxed, m) { TYPES(DEFINE) }
TORCH_LIBRARY_IMPL(bench_typed, CPU, m) { TYPES(TYPED) }
TORCH_LIBRARY_IMPL(bench_boxed, CPU, m) { TYPES(BOXED) }
