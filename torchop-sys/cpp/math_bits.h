// Operators that write to a tensor whose memory stands for other numbers: a conjugate or negative view. Torch's own fallbacks expect
// such an operator to return what it wrote to.
#pragma once

#include "kernels.h"

namespace torchop {

// For the keys Conjugate and Negative: the kernel gets plain memory, and what it wrote goes back through the view.
struct MathBitKernel final : c10::OperatorKernel {
  MathBitKernel(c10::DispatchKey key, std::vector<uint16_t> written) : key(key), written(std::move(written)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    const size_t count = handle.schema().arguments().size();
    IValue* arguments = stack->data() + (stack->size() - count);
    std::vector<std::pair<at::Tensor, at::Tensor>> back;
    for (size_t i = 0; i < count; i++) {
      const bool writes = std::find(written.begin(), written.end(), i) != written.end();
      if (arguments[i].isTensor()) {
        arguments[i] = resolved(arguments[i].toTensor(), writes, back);
      } else if (arguments[i].isTensorList() || arguments[i].isOptionalTensorList()) {
        auto list = arguments[i].toList().copy();
        for (size_t k = 0; k < list.size(); k++) {
          IValue element = list.get(k);
          if (element.isTensor()) list.set(k, resolved(element.toTensor(), writes, back));
        }
        arguments[i] = std::move(list);
      }
    }
    handle.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, key), stack);
    for (const auto& [to, from] : back) to.copy_(from);
  }

  at::Tensor resolved(const at::Tensor& t, bool writes, std::vector<std::pair<at::Tensor, at::Tensor>>& back) const {
    if (!t.defined()) return t;
    const bool conjugate = key == c10::DispatchKey::Conjugate;
    if (!(conjugate ? t.is_conj() : t.is_neg())) return t;
    auto plain = conjugate ? t.resolve_conj() : t.resolve_neg();
    if (writes) back.emplace_back(t, plain);
    return plain;
  }

  c10::DispatchKey key;
  std::vector<uint16_t> written;
};

} // namespace torchop
