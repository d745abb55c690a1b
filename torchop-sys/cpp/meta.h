// Fakes as kernels for meta tensors.
#pragma once

#include "kernels.h"

namespace torchop {

// Torch runs a meta kernel if one tensor of several is a meta tensor: a result without memory would stand for the others' values.
inline void require_meta(const c10::OperatorHandle& handle, const Stack& stack) {
  const auto& arguments = handle.schema().arguments();
  if (stack.size() < arguments.size()) return;
  const IValue* first = stack.data() + (stack.size() - arguments.size());
  for (size_t i = 0; i < arguments.size(); i++) {
    each_tensor_in(first[i], [&](const at::Tensor& t) {
      // A fake tensor says that it is elsewhere, by way of Python. Numbers go with any device.
      const bool fits = t.is_meta() || t.key_set().has(c10::DispatchKey::Python) || t.dim() == 0;
      TORCH_CHECK(fits, c10::toString(handle.operator_name()), ": argument '", arguments[i].name(), "' is on ", t.device(),
          " and another one on meta, where there are no numbers; move them to one device");
    });
  }
}

template <class Kernel>
struct MetaKernel final : c10::OperatorKernel {
  explicit MetaKernel(std::unique_ptr<Kernel> kernel) : kernel(std::move(kernel)) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    require_meta(handle, *stack);
    (*kernel)(handle, keys, stack);
  }
  std::unique_ptr<Kernel> kernel;
};

} // namespace torchop
