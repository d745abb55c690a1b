// Tensors inside dictionaries and tuples: neither torch's dispatcher nor its autograd looks at them.
#pragma once

#include "kernels.h"
#include "lookup.h"

namespace torchop {

inline bool holds_tensors(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType) return true;
  auto parts = type.containedTypes();
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return holds_tensors(*part); });
}

inline bool is_nested(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::DictType || type.kind() == c10::TypeKind::TupleType) return holds_tensors(type);
  auto parts = type.containedTypes();
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return is_nested(*part); });
}

inline std::vector<uint16_t> nested_arguments(const c10::FunctionSchema& schema) {
  std::vector<uint16_t> nested;
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); i++) {
    if (is_nested(*arguments[i].type())) nested.push_back(static_cast<uint16_t>(i));
  }
  return nested;
}

inline bool any_requires_grad(const IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() && value.toTensor().requires_grad();
  if (value.isList()) {
    auto elements = value.toListRef();
    return std::any_of(elements.begin(), elements.end(), any_requires_grad);
  }
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    return std::any_of(elements.begin(), elements.end(), any_requires_grad);
  }
  if (value.isGenericDict()) {
    const auto& dict = reinterpret_cast<const c10::detail::DictImpl*>(Bits(value).payload)->dict;
    return std::any_of(dict.begin(), dict.end(), [](const auto& entry) { return any_requires_grad(entry.second); });
  }
  return false;
}

// A kernel or fake of an operator with such arguments: a gradient that would be lost is refused.
template <class Kernel>
struct NestedKernel final : c10::OperatorKernel {
  NestedKernel(std::unique_ptr<Kernel> kernel, std::string_view name, std::vector<uint16_t> nested)
      : kernel(std::move(kernel)), name(name), nested(std::move(nested)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    if (c10::GradMode::is_enabled()) {
      const auto& arguments = handle.schema().arguments();
      TORCH_CHECK_TYPE(stack->size() >= arguments.size(), name, ": called with too few values");
      const IValue* first = stack->data() + (stack->size() - arguments.size());
      for (uint16_t index : nested) {
        TORCH_CHECK_NOT_IMPLEMENTED(!any_requires_grad(first[index]), name, ": a tensor inside argument '",
            arguments[index].name(), "' requires grad, and torch follows gradients through `Tensor`, `Tensor?` and "
            "`Tensor[]` arguments alone; pass it as one of these, or call under torch.no_grad()");
      }
    }
    (*kernel)(handle, keys, stack);
  }

  std::unique_ptr<Kernel> kernel;
  std::string_view name;
  std::vector<uint16_t> nested;
};

} // namespace torchop
