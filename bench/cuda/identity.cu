// The example's operator as one writes it in CUDA C++ for torch: the same kernel, the same plan on the host, built by nvcc.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <array>

#include "identity_conv.cu"

constexpr int THREADS = 256;

namespace {

struct Plan {
  torchop::Geometry<> words{};
  int64_t count = 0, size = 1, span = 0;
  int tail = 0;
  bool flat = true;
};

Plan plan(const at::Tensor& input, int64_t address) {
  const auto sizes = input.sizes();
  const auto strides = input.strides();
  const int64_t item = input.element_size();
  std::array<std::pair<int64_t, int64_t>, 65> dims;
  int count = 0;
  int64_t span = 1;
  bool empty = false;
  for (size_t d = 0; d < sizes.size(); d++) {
    empty |= sizes[d] == 0;
    span += (sizes[d] - 1) * strides[d];
    if (sizes[d] != 1 && (strides[d] != 0 || sizes[d] == 0)) dims[count++] = {strides[d] * item, sizes[d]};
  }
  span = empty ? 0 : span * item;
  dims[count++] = {1, item};
  std::sort(dims.begin(), dims.begin() + count, [](const auto& a, const auto& b) { return a.first > b.first; });
  Plan out;
  int64_t numel = 1, bits = address | 16;
  auto& w = out.words;
  bool fits = true;
  for (int d = 0; d < count && fits; d++) {
    const auto [stride, size] = dims[d];
    numel *= size;
    if (w.dim > 0 && w.strides[w.dim - 1] == stride * size) {
      w.sizes[w.dim - 1] *= size;
      w.strides[w.dim - 1] = stride;
    } else if (w.dim < 8) {
      w.sizes[w.dim] = size;
      w.strides[w.dim++] = stride;
    } else {
      fits = false;
    }
  }
  const int64_t run = std::max<int64_t>(w.sizes[w.dim - 1], 1);
  if (fits && span > numel / run * std::max<int64_t>(run, 64)) {
    bits |= run;
    for (int d = 0; d + 1 < w.dim; d++) bits |= w.strides[d];
    out.size = bits & -bits;
    w.sizes[w.dim - 1] /= out.size;
    for (int d = 0; d + 1 < w.dim; d++) w.strides[d] /= out.size;
    out.count = numel / out.size;
    out.span = span / out.size;
    out.flat = false;
  } else {
    out.size = bits & -bits;
    out.count = out.span = span / out.size;
    out.tail = static_cast<int>(span % out.size);
  }
  return out;
}

template <class Word, class Index, bool FLAT>
void launch(const at::Tensor& input, const at::Tensor& output, const Plan& plan) {
  constexpr int64_t block = THREADS * 16 / sizeof(Word);
  const int64_t blocks = (std::max<int64_t>(plan.count, plan.tail) + block - 1) / block;
  if (blocks == 0) return;
  copy<Word, Index, FLAT><<<blocks, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      static_cast<const Word*>(input.const_data_ptr()), static_cast<Word*>(output.mutable_data_ptr()), plan.words, plan.count,
      plan.tail);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class Word>
void choose(const at::Tensor& input, const at::Tensor& output, const Plan& plan) {
  const bool small = plan.span < int64_t{1} << 31;
  if (plan.flat) {
    small ? launch<Word, unsigned, true>(input, output, plan) : launch<Word, long long, true>(input, output, plan);
  } else {
    small ? launch<Word, unsigned, false>(input, output, plan) : launch<Word, long long, false>(input, output, plan);
  }
}

at::Tensor identity(const at::Tensor& input) {
  const c10::cuda::CUDAGuard guard(input.device());
  auto output = at::empty_strided(input.sizes(), input.strides(), input.options());
  const auto p = plan(input, reinterpret_cast<int64_t>(input.const_data_ptr()) | reinterpret_cast<int64_t>(output.const_data_ptr()));
  switch (p.size) {
    case 1: choose<unsigned char>(input, output, p); break;
    case 2: choose<unsigned short>(input, output, p); break;
    case 4: choose<unsigned>(input, output, p); break;
    case 8: choose<uint2>(input, output, p); break;
    default: choose<uint4>(input, output, p);
  }
  return output;
}

// With a gradient, as the operator in Rust has one.
struct WithGradient : torch::autograd::Function<WithGradient> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& input) {
    at::AutoDispatchBelowADInplaceOrView guard;
    static auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("bench_cuda::differentiable", "").typed<at::Tensor(const at::Tensor&)>();
    return op.call(input);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list gradients) {
    return {gradients[0]};
  }
};
at::Tensor differentiable(const at::Tensor& input) { return WithGradient::apply(input); }

} // namespace

TORCH_LIBRARY(bench_cuda, m) {
  m.def("identity(Tensor input) -> Tensor");
  m.def("differentiable(Tensor input) -> Tensor");
}
TORCH_LIBRARY_IMPL(bench_cuda, CUDA, m) {
  m.impl("identity", &identity);
  m.impl("differentiable", &identity);
}
TORCH_LIBRARY_IMPL(bench_cuda, Autograd, m) { m.impl("differentiable", &differentiable); }
