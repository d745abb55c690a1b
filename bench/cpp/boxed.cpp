// The floor: boxed kernels that take their arguments off the stack and put a result there, looking at nothing.
#include <ATen/core/stack.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {

using torch::jit::Stack;

template <size_t arguments>
void number(const c10::OperatorHandle&, Stack* stack) {
  torch::jit::drop(*stack, arguments);
  stack->emplace_back(int64_t{0});
}

void nothing(const c10::OperatorHandle&, Stack* stack) { torch::jit::drop(*stack, 2); }

void fresh(const c10::OperatorHandle&, Stack* stack) {
  auto x = torch::jit::pop(*stack);
  stack->emplace_back(at::empty_like(x.toTensor()));
}

} // namespace

TORCH_LIBRARY(bench_boxed, m) {
  m.def("one(Tensor x) -> int");
  m.def("five(Tensor x, Tensor y, float a, int n, bool b) -> int");
  m.def("fourteen(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, Tensor i, Tensor j, "
        "Tensor k, Tensor l, Tensor m, Tensor n) -> int");
  m.def("fresh(Tensor x) -> Tensor");
  m.def("written(Tensor(a!) x, Tensor y) -> ()");
}

TORCH_LIBRARY_IMPL(bench_boxed, CPU, m) {
  m.impl("one", torch::CppFunction::makeFromBoxedFunction<&number<1>>());
  m.impl("five", torch::CppFunction::makeFromBoxedFunction<&number<5>>());
  m.impl("fourteen", torch::CppFunction::makeFromBoxedFunction<&number<14>>());
  m.impl("fresh", torch::CppFunction::makeFromBoxedFunction<&fresh>());
  m.impl("written", torch::CppFunction::makeFromBoxedFunction<&nothing>());
}
