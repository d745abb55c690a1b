// Operators by name.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string_view>

namespace torchop {

// Of `ns::op` or `ns::op.overload`. Torch's own parser takes longer than the rest of a registration.
inline c10::OperatorName operator_name(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

// Of an operator that is defined already; `name` with namespace and overload.
inline const c10::FunctionSchema& schema_of(std::string_view name) {
  auto handle = c10::Dispatcher::singleton().findSchema(operator_name(name));
  TORCH_CHECK(handle, "operator `", name, "` is not defined");
  return handle->schema();
}

} // namespace torchop
