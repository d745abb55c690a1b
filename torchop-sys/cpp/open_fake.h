// Fakes that Python calls: those that ask torch for sizes which depend on data, and those of operators without tensors.
#pragma once

#include "kernels.h"

namespace torchop {

// The hidden operator behind such a fake: the operator's arguments, all positional and none written to, then one size for each
// that depends on data, then, if the operator takes no tensor, one that says the device.
inline c10::FunctionSchema open_fake_schema(const c10::FunctionSchema& op, const std::string& name, uint32_t dynamic, bool anchor) {
  std::vector<c10::Argument> arguments;
  for (const auto& argument : op.arguments()) {
    arguments.emplace_back(argument.name(), argument.type(), argument.real_type(), argument.N());
  }
  for (uint32_t i = 0; i < dynamic; i++) {
    arguments.emplace_back(c10::str("_dynamic", i), at::TypePtr(c10::IntType::get()), at::TypePtr(c10::SymIntType::get()), std::nullopt);
  }
  if (anchor) arguments.emplace_back("_anchor", c10::TensorType::get());
  std::vector<c10::Argument> returns;
  for (const auto& result : op.returns()) returns.emplace_back("", result.type(), result.real_type(), result.N());
  return c10::FunctionSchema(name, "", std::move(arguments), std::move(returns));
}

// Takes off the anchor, which Rust knows nothing of.
struct AnchoredKernel final : c10::OperatorKernel {
  explicit AnchoredKernel(OpenKernel kernel) : kernel(std::move(kernel)) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    torch::jit::drop(*stack, 1);
    kernel(handle, keys, stack);
  }
  OpenKernel kernel;
};

} // namespace torchop
