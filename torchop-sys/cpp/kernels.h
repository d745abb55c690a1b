// Rust functions as boxed kernels of the dispatcher.
#pragma once

#include "types.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <array>

namespace torchop {

using c10::IValue;
using torch::jit::Stack;

// A Rust function with what is needed to call it on a stack.
struct Target {
  KernelFn function;
  const uint8_t* context;
  uint32_t arguments;
  uint32_t results;
  // `ns::op` or `ns::Class.method`, for messages; lives as long as the process.
  std::string_view name;
};

// Room for results: on the C++ stack for what operators usually return.
class ResultBuffer {
 public:
  explicit ResultBuffer(size_t count) : count_(count) {
    if (count > few_.size()) many_.resize(count);
  }
  IValue* data() { return count_ > few_.size() ? many_.data() : few_.data(); }

 private:
  size_t count_;
  std::array<IValue, 4> few_;
  std::vector<IValue> many_;
};

C10_NOINLINE inline void require_arguments(const Target& target, const Stack& stack) {
  TORCH_CHECK_TYPE(stack.size() >= target.arguments, target.name, ": called with ", stack.size(), " values, needs ",
                   target.arguments);
}

// Inductor turns an output that shares memory with an input or with state into wrong numbers, without a word.
[[noreturn]] C10_NOINLINE inline void raise_alias(const Target& target, size_t index) {
  C10_THROW_ERROR(Error, c10::str(target.name, ": result ", index,
      " shares its memory with an argument or with something that the function keeps; torch.compile would turn that into "
      "wrong numbers. Return memory of its own: `.deep_clone()?` of it in Rust"));
}

// Whether somebody else has a reference. A Python object that stands for the tensor or its storage is one reference more.
inline bool is_held_elsewhere(const at::Tensor& t) {
  auto* tensor = t.unsafeGetTensorImpl();
  if (C10_UNLIKELY(t.use_count() > 1) && (t.use_count() > 2 || tensor->pyobj_slot()->load_pyobj() == nullptr)) {
    return t.defined();
  }
  if (!t.has_storage()) return false;
  const auto& storage = tensor->unsafe_storage();
  return C10_UNLIKELY(storage.use_count() > 1) &&
      (storage.use_count() > 2 || storage.unsafeGetStorageImpl()->pyobj_slot()->load_pyobj() == nullptr);
}

// Every tensor in a value, of a list each.
template <class Visit>
C10_NOINLINE void each_tensor_in_list(const IValue& list, const Visit& visit);

template <class Visit>
C10_ALWAYS_INLINE void each_tensor_in(const IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (C10_UNLIKELY(value.isList())) {
    each_tensor_in_list(value, visit);
  }
}

template <class Visit>
void each_tensor_in_list(const IValue& list, const Visit& visit) {
  for (const IValue& element : list.toListRef()) {
    if (!element.isTensor() && !element.isNone()) break; // a list of something else
    each_tensor_in(element, visit);
  }
}

// What a function's results are checked for.
struct Fresh {
  void operator()(const Target& target, const IValue* /*arguments*/, const IValue& result, size_t index) const {
    each_tensor_in(result, [&](const at::Tensor& t) {
      if (C10_UNLIKELY(is_held_elsewhere(t))) raise_alias(target, index);
    });
  }
};

struct Unchecked {
  void operator()(const Target&, const IValue*, const IValue&, size_t) const {}
};

inline void run_without_result(const Target& target, Stack& stack) {
  const size_t count = target.arguments;
  IValue none;
  if (Failure* failure = target.function(target.context, stack.data() + (stack.size() - count), count, &none, 0)) raise(failure);
  torch::jit::drop(stack, count);
}

template <class Check>
C10_NOINLINE void run_several(const Target& target, Stack& stack, const Check& check) {
  if (target.results == 0) return run_without_result(target, stack);
  const size_t count = target.arguments;
  IValue* arguments = stack.data() + (stack.size() - count);
  ResultBuffer results(target.results);
  if (Failure* failure = target.function(target.context, arguments, count, results.data(), target.results)) {
    raise(failure);
  }
  for (size_t i = 0; i < target.results; i++) check(target, arguments, results.data()[i], i);
  torch::jit::drop(stack, count);
  for (size_t i = 0; i < target.results; i++) stack.push_back(std::move(results.data()[i]));
}

// Calls the Rust function on the top of the stack: arguments off, results on. The stack is unchanged if it throws.
template <class Check>
C10_ALWAYS_INLINE void run(const Target& target, Stack& stack, const Check& check) {
  if (C10_UNLIKELY(stack.size() < target.arguments)) require_arguments(target, stack);
  if (C10_UNLIKELY(target.results != 1)) return run_several(target, stack, check);
  const size_t count = target.arguments;
  IValue* arguments = stack.data() + (stack.size() - count);
  IValue result;
  if (Failure* failure = target.function(target.context, arguments, count, &result, 1)) raise(failure);
  check(target, arguments, result, 0);
  if (C10_LIKELY(count > 0)) {
    std::destroy_at(arguments);
    new (arguments) IValue(std::move(result));
    if (count > 1) torch::jit::drop(stack, count - 1);
  } else {
    stack.push_back(std::move(result));
  }
}

// What is behind us when a kernel runs. Autograd: views that it makes would remember their bases. Autocast: the fake knows
// nothing of it, so the dtypes of what the kernel calls must not either.
constexpr c10::DispatchKeySet passed = c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

// Excludes what is behind us, as c10's guard does, but in place: without its two calls and with one look-up of the thread's
// keys. The keys that a kernel is called with say nothing here, since they lack those that fall through for its operator.
class Passed {
 public:
  Passed() : keys_(&c10::impl::raw_local_dispatch_key_set) {
    const auto excluded = keys_->excluded();
    added_ = passed - excluded;
    keys_->set_excluded(excluded | added_);
  }
  ~Passed() { keys_->set_excluded(keys_->excluded() - added_); }
  Passed(const Passed&) = delete;
  Passed& operator=(const Passed&) = delete;

 private:
  c10::impl::PODLocalDispatchKeySet* keys_;
  c10::DispatchKeySet added_;
};

// The device of the first tensor of that type among the arguments.
inline std::optional<c10::Device> first_device(const Target& target, const Stack& stack, c10::DeviceType type) {
  std::optional<c10::Device> found;
  const size_t count = std::min<size_t>(target.arguments, stack.size());
  for (size_t i = stack.size() - count; i < stack.size() && !found; i++) {
    each_tensor_in(stack[i], [&](const at::Tensor& t) {
      if (!found && t.device().type() == type) found = t.device();
    });
  }
  return found;
}

// The type of device whose tensors a key's kernels get; main memory where there is nothing to choose.
inline c10::DeviceType guarded_type(c10::DispatchKey key) {
  const auto component = c10::toBackendComponent(key);
  if (component == c10::BackendComponent::InvalidBit || component == c10::BackendComponent::MetaBit) {
    return c10::DeviceType::CPU;
  }
  return c10::dispatchKeyToDeviceType(key);
}

// A kernel that runs below autograd: its results are its own. On a device of which there may be several, the first tensor's
// is the current one meanwhile.
struct BackendKernel final : c10::OperatorKernel {
  explicit BackendKernel(Target target, c10::DeviceType type = c10::DeviceType::CPU)
      : target(std::move(target)), type(type) {}
  C10_ALWAYS_INLINE void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    Passed guard;
    if (C10_UNLIKELY(type != c10::DeviceType::CPU)) return on_device(*stack);
    run(target, *stack, Fresh());
  }
  C10_NOINLINE void on_device(Stack& stack) const {
    const auto device = first_device(target, stack, type);
    if (!device || !c10::impl::hasDeviceGuardImpl(type)) return run(target, stack, Fresh());
    // A guard costs calls into the driver when it ends, also where it changed nothing.
    if (C10_LIKELY(c10::impl::VirtualGuardImpl(type).getDevice() == *device)) return run(target, stack, Fresh());
    const c10::DeviceGuard guard(*device);
    run(target, stack, Fresh());
  }
  Target target;
  c10::DeviceType type;
};

// A kernel whose results nobody keeps apart: fakes (no memory) and composite functions (torch sees their parts).
struct OpenKernel final : c10::OperatorKernel {
  explicit OpenKernel(Target target) : target(std::move(target)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) { run(target, *stack, Unchecked()); }
  Target target;
};

} // namespace torchop
