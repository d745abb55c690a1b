// Kernels of operators that write to their arguments.
#pragma once

#include "kernels.h"

#include <ATen/MemoryOverlap.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

namespace torchop {

// Every tensor in the arguments of the given indices, with the argument's index; lists are walked through.
template <class Visit>
void each_tensor(const std::vector<uint16_t>& indices, const IValue* arguments, Visit visit) {
  for (uint16_t index : indices) {
    const IValue& value = arguments[index];
    if (value.isTensor()) {
      visit(index, value.toTensor());
    } else if (value.isList()) {
      for (const IValue& element : value.toListRef()) {
        visit(index, element.isTensor() ? element.toTensor() : at::Tensor());
      }
    }
  }
}

// The versions of what is written to, counted before the kernel runs: an inference tensor is refused while nothing has
// happened to it.
struct VersionKernel final : c10::OperatorKernel {
  VersionKernel(std::vector<uint16_t> written, uint16_t arguments) : written(std::move(written)), arguments(arguments) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    each_tensor(written, stack->data() + (stack->size() - arguments), [](uint16_t, const at::Tensor& t) {
      if (t.defined()) torch::autograd::increment_version(t);
    });
    at::AutoDispatchBelowADInplaceOrView guard;
    handle.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
  }

  std::vector<uint16_t> written;
  uint16_t arguments;
};

// A kernel that writes: what it writes to overlaps neither itself nor another argument.
struct WritingKernel final : c10::OperatorKernel {
  WritingKernel(BackendKernel kernel, std::vector<uint16_t> written, std::vector<uint16_t> tensors)
      : kernel(std::move(kernel)), written(std::move(written)), tensors(std::move(tensors)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    require_arguments(kernel.target, *stack);
    const IValue* arguments = stack->data() + (stack->size() - kernel.target.arguments);
    // A tensor is known by its place: its argument, and where it stands in a list.
    uint32_t to_place = 0;
    int32_t to_argument = -1;
    each_tensor(written, arguments, [&](uint16_t target, const at::Tensor& to) {
      to_place = target == to_argument ? to_place + 1 : 0;
      to_argument = target;
      if (!to.defined()) return;
      at::assert_no_internal_overlap(to);
      uint32_t from_place = 0;
      int32_t from_argument = -1;
      each_tensor(tensors, arguments, [&](uint16_t source, const at::Tensor& from) {
        from_place = source == from_argument ? from_place + 1 : 0;
        from_argument = source;
        if (from.defined() && (source != target || from_place != to_place)) at::assert_no_overlap(to, from);
      });
    });
    kernel(handle, keys, stack);
  }

  BackendKernel kernel;
  std::vector<uint16_t> written;
  std::vector<uint16_t> tensors;
};

// The fake of an operator that only writes: nothing to say.
struct NothingKernel final : c10::OperatorKernel {
  explicit NothingKernel(uint16_t arguments) : arguments(arguments) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) { torch::jit::drop(*stack, arguments); }
  uint16_t arguments;
};

} // namespace torchop
