// Calls of torch's own operators without a stack of values in between, for the commonest signatures.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>

namespace torchop {

class TypedCall {
 public:
  virtual ~TypedCall() = default;
  // As many arguments and results as the schema has. Arguments stay where they are; results hold None before.
  virtual void call(c10::IValue* arguments, c10::IValue* results) const = 0;
};

// Null for an operator of another signature, or one that is not torch's own.
std::unique_ptr<TypedCall> typed_call(const c10::OperatorHandle& op);

} // namespace torchop
