// vmap by a rule in Rust.
#pragma once

#include "mutation.h"

#include <ATen/functorch/BatchedTensorImpl.h>

namespace torchop {

// Same order as `BatchNeedKind` in torchop-runtime.
enum class BatchNeedKind : uint8_t { Argument, IsBatched, BatchSize };

struct BatchNeed {
  BatchNeedKind kind;
  uint16_t index;
};

// Takes one level of batching off the arguments, calls the rule with the batch dimension in front of those that have one, and
// puts the level on the results.
struct BatchKernel final : c10::OperatorKernel {
  BatchKernel(Target rule, std::vector<BatchNeed> needs, std::vector<uint16_t> tensors, uint16_t arguments)
      : rule(std::move(rule)), needs(std::move(needs)), tensors(std::move(tensors)), arguments(arguments) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, Stack* stack) {
    c10::impl::ExcludeDispatchKeyGuard guard(c10::DispatchKey::FuncTorchBatched);
    IValue* first = stack->data() + (stack->size() - arguments);
    int64_t level = -1;
    each_tensor(tensors, first, [&](uint16_t, const at::Tensor& t) {
      if (auto* batched = batched_part(t)) level = std::max(level, batched->level());
    });
    if (level < 0) return handle.callBoxed(stack);
    c10::SymInt size = batch_size(first, level);
    std::vector<bool> is_batched(arguments, false);
    for (uint16_t index : tensors) is_batched[index] = unwrap(first[index], level, size);

    std::vector<IValue> values;
    values.reserve(needs.size());
    for (const BatchNeed& need : needs) {
      switch (need.kind) {
        case BatchNeedKind::Argument: values.push_back(first[need.index]); break;
        case BatchNeedKind::IsBatched: values.emplace_back(static_cast<bool>(is_batched[need.index])); break;
        case BatchNeedKind::BatchSize: values.emplace_back(size); break;
      }
    }
    ResultBuffer results(rule.results);
    if (Failure* failure = rule.function(rule.context, values.data(), values.size(), results.data(), rule.results)) {
      raise(failure);
    }
    for (size_t i = 0; i < rule.results; i++) results.data()[i] = wrap(std::move(results.data()[i]), level, size, i);
    torch::jit::drop(*stack, arguments);
    for (size_t i = 0; i < rule.results; i++) stack->push_back(std::move(results.data()[i]));
  }

 private:
  static at::functorch::BatchedTensorImpl* batched_part(const at::Tensor& t) {
    return t.defined() ? at::functorch::maybeGetBatchedImpl(t) : nullptr;
  }

  c10::SymInt batch_size(const IValue* first, int64_t level) const {
    std::optional<c10::SymInt> size;
    each_tensor(tensors, first, [&](uint16_t, const at::Tensor& t) {
      auto* batched = batched_part(t);
      if (!size && batched && batched->level() == level) size = batched->value().sym_size(batched->bdim());
    });
    return *size;
  }

  static bool take_off(at::Tensor& t, int64_t level) {
    auto* batched = batched_part(t);
    if (!batched || batched->level() != level) return false;
    auto dim = batched->bdim();
    t = batched->value().movedim(dim, 0);
    return true;
  }

  // Of a list all tensors have the batch dimension, or none: those without are repeated.
  static bool unwrap(IValue& value, int64_t level, const c10::SymInt& size) {
    if (value.isTensor()) {
      at::Tensor t = value.toTensor();
      if (!t.defined() || !take_off(t, level)) return false;
      value = IValue(std::move(t));
      return true;
    }
    if (!value.isList()) return false;
    const bool is_optional = value.isOptionalTensorList();
    std::vector<at::Tensor> list;
    std::vector<bool> has;
    bool any = false;
    for (const IValue& element : value.toListRef()) {
      list.push_back(element.isTensor() ? element.toTensor() : at::Tensor());
      has.push_back(list.back().defined() && take_off(list.back(), level));
      any |= has.back();
    }
    if (!any) return false;
    for (size_t i = 0; i < list.size(); i++) {
      if (!list[i].defined() || has[i]) continue;
      auto sizes = list[i].sym_sizes().vec();
      sizes.insert(sizes.begin(), size);
      list[i] = list[i].unsqueeze(0).expand_symint(sizes);
    }
    if (is_optional) {
      c10::List<std::optional<at::Tensor>> optional;
      for (auto& t : list) optional.push_back(t.defined() ? std::optional<at::Tensor>(std::move(t)) : std::nullopt);
      value = IValue(std::move(optional));
    } else {
      value = IValue(c10::List<at::Tensor>(list));
    }
    return true;
  }

  at::Tensor wrap(const at::Tensor& t, int64_t level, const c10::SymInt& size, size_t index) const {
    if (!t.defined()) return t;
    TORCH_CHECK_VALUE(t.dim() > 0 && t.sym_size(0).sym_eq(size).guard_bool("torchop", 0), rule.name, ": result ", index,
        " has the sizes ", t.sym_sizes(), ", expected the batch dimension of size ", size, " in front");
    return at::functorch::makeBatched(t, 0, level);
  }

  IValue wrap(IValue&& value, int64_t level, const c10::SymInt& size, size_t index) const {
    if (value.isTensor()) return wrap(value.toTensor(), level, size, index);
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const IValue& element : value.toListRef()) list.push_back(wrap(element.toTensor(), level, size, index));
      return list;
    }
    return std::move(value);
  }

  Target rule;
  std::vector<BatchNeed> needs;
  std::vector<uint16_t> tensors;
  uint16_t arguments;
};

} // namespace torchop
