// The autograd kernel that every operator gets, and the graph node behind a backward in Rust.
#pragma once

#include "kernels.h"

#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>
#include <ATen/MemoryOverlap.h>
#include <torch/version.h>

namespace torchop {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Same order as `SlotKind` in torchop-runtime.
enum class NeedKind : uint8_t { Argument, Output, Gradient, NeedsGrad };

struct Need {
  NeedKind kind;
  uint16_t index;
  bool optional;
};

struct Backward {
  Target target;
  std::vector<Need> needs;
  // The argument that each result of the Rust function is the gradient of.
  std::vector<uint16_t> gradients;
};

struct AutogradOp {
  std::string name;
  std::vector<uint16_t> tensor_arguments;
  std::vector<uint16_t> written_arguments;
  uint16_t argument_count;
  uint16_t return_count;
  std::optional<Backward> backward;
  // Said when somebody asks for a gradient that the operator does not have.
  std::string no_backward;
};

// Where one parameter of the backward comes from, for one node.
struct Source {
  enum class From : uint8_t { Gradient, Tensor, TensorList, Constant, NeedsGrad, Never } from;
  uint32_t index;
  // Of a list.
  uint32_t count = 1;
  bool zeros_if_undefined = false;
};

// What stays the same between a node and its trace under compiled autograd.
struct Plan {
  const AutogradOp* op;
  std::vector<Source> sources;
  // Per argument of the operator: its first edge and the number of its edges.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  uint32_t edge_count = 0;
};

// Calls the Rust backward. `zero(i)` makes zeros in the shape of output i.
template <class Zero>
variable_list call_backward(const Plan& plan, const variable_list& grads, const std::vector<at::Tensor>& saved,
                            const std::vector<IValue>& constants, const std::vector<bool>& wanted, Zero zero) {
  const Backward& backward = *plan.op->backward;
  std::vector<IValue> arguments;
  arguments.reserve(plan.sources.size());
  for (const Source& source : plan.sources) {
    switch (source.from) {
      case Source::From::Gradient: {
        at::Tensor grad = source.index < grads.size() ? grads[source.index] : at::Tensor();
        if (!grad.defined() && source.zeros_if_undefined) grad = zero(source.index);
        arguments.push_back(grad.defined() ? IValue(std::move(grad)) : IValue());
        break;
      }
      case Source::From::Tensor:
        arguments.push_back(saved[source.index].defined() ? IValue(saved[source.index]) : IValue());
        break;
      case Source::From::TensorList:
        arguments.emplace_back(c10::List<at::Tensor>(
            c10::ArrayRef<at::Tensor>(saved).slice(source.index, source.count)));
        break;
      case Source::From::Constant: arguments.push_back(constants[source.index]); break;
      case Source::From::Never: arguments.emplace_back(false); break;
      case Source::From::NeedsGrad: arguments.emplace_back(static_cast<bool>(wanted[source.index])); break;
    }
  }
  const Target& target = backward.target;
  ResultBuffer results(target.results);
  if (Failure* failure = target.function(target.context, arguments.data(), arguments.size(), results.data(), target.results)) {
    raise(failure);
  }
  variable_list out(plan.edge_count);
  for (size_t i = 0; i < backward.gradients.size(); i++) {
    auto [first, count] = plan.edges[backward.gradients[i]];
    IValue& result = results.data()[i];
    if (result.isNone()) continue;
    if (result.isTensor()) {
      if (count == 1 && wanted[first]) out[first] = std::move(result).toTensor();
      continue;
    }
    auto list = result.toListRef();
    TORCH_CHECK_VALUE(list.size() == count, target.name, ": returned ", list.size(), " gradients for a list of ", count, " tensors");
    for (size_t k = 0; k < count; k++) {
      if (!list[k].isNone() && wanted[first + k]) out[first + k] = list[k].toTensor();
    }
  }
  return out;
}

// One C++ class serves all operators.
struct RustNode final : Node {
  std::shared_ptr<const Plan> plan;
  std::vector<SavedVariable> saved;
  std::vector<bool> saved_is_output;
  std::vector<IValue> constants;
  std::vector<torch::autograd::VariableInfo> outputs;
  bool released = false;

  std::string name() const override { return plan->op->backward ? plan->op->backward->target.name : plan->op->name; }

  variable_list apply(variable_list&& grads) override {
    // Two backward passes may run through one node at the same time.
    std::unique_lock<std::mutex> lock(mutex_);
    TORCH_CHECK_NOT_IMPLEMENTED(plan->op->backward.has_value(), plan->op->no_backward);
    TORCH_CHECK(!released, torch::autograd::ERR_BACKWARD_TWICE);
    auto tensors = unpack();
    auto held = constants;
    lock.unlock();
    return call_backward(*plan, grads, tensors, held, wanted(), [this](size_t i) {
      at::OptionalDeviceGuard guard;
      return outputs[i].zeros(guard);
    });
  }

  void release_variables() override {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& variable : saved) variable.reset_data();
    constants.clear();
    released = true;
  }

  // Compiled autograd: the operator is part of the key, since all operators share this class.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override {
    TORCH_CHECK_NOT_IMPLEMENTED(plan->op->backward.has_value(), plan->op->no_backward);
    args.collect(name());
    args.collect(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(plan->op)));
    for (size_t i = 0; i < saved.size(); i++) args.collect(saved[i], saved_is_output[i]);
    for (const auto& value : constants) args.collect(value);
    args.collect(outputs);
  }

  variable_list apply_with_saved(const variable_list& grads, torch::dynamo::autograd::SwapSavedVariables& swap) override {
    using namespace torch::dynamo::autograd;
    swap.before(saved);
    swap.before(constants);
    swap.before(outputs);
    std::vector<IValue> packed{IValuePacker<std::vector<bool>>::pack(wanted()),
                               IValuePacker<std::vector<torch::autograd::VariableInfo>>::pack(outputs)};
    for (auto& tensor : unpack()) packed.emplace_back(std::move(tensor));
    packed.insert(packed.end(), constants.begin(), constants.end());
    std::vector<at::TypePtr> types;
    types.reserve(packed.size());
    for (const auto& value : packed) {
      types.push_back(value.isTensor() ? at::TypePtr(at::TensorType::get()) : value.type());
    }
    auto traced = [plan = plan, count = saved.size()](const variable_list& grads, const std::vector<IValue>& args) {
      auto wanted = IValuePacker<std::vector<bool>>::unpack(args[0]);
      auto outputs = IValuePacker<std::vector<torch::autograd::VariableInfo>>::unpack(args[1]);
      std::vector<at::Tensor> tensors;
      for (size_t i = 0; i < count; i++) tensors.push_back(args[2 + i].isNone() ? at::Tensor() : args[2 + i].toTensor());
      std::vector<IValue> constants(args.begin() + static_cast<int64_t>(2 + count), args.end());
      return call_backward(*plan, grads, tensors, constants, wanted, [&](size_t i) {
        at::OptionalDeviceGuard guard;
        return outputs[i].zeros(guard);
      });
    };
    const auto& compiler = getPyCompilerInterface();
    auto function = compiler->bind_function(swap.get_py_compiler(), name(), traced, types, /*is_custom_function=*/true,
                                            /*is_traceable=*/true);
    auto meta = IValuePacker<std::vector<std::optional<torch::autograd::InputMetadata>>>::pack(get_input_metadata(next_edges()));
    auto result = compiler->call_function(swap.get_py_compiler(), "apply_functional", function, grads, packed, meta);
    swap.after(saved);
    swap.after(constants);
    swap.after(outputs);
    return result;
  }

 private:
  std::vector<bool> wanted() const {
    std::vector<bool> wanted;
    for (size_t i = 0; i < next_edges().size(); i++) wanted.push_back(task_should_compute_output(i));
    return wanted;
  }

  std::vector<at::Tensor> unpack() {
    std::vector<at::Tensor> tensors;
    tensors.reserve(saved.size());
    for (size_t i = 0; i < saved.size(); i++) {
      tensors.push_back(saved_is_output[i] ? saved[i].unpack(self()) : saved[i].unpack());
    }
    return tensors;
  }

#if TORCH_VERSION_MINOR >= 13
  c10::intrusive_ptr<Node> self() { return c10::intrusive_ptr<Node>::unsafe_reclaim_from_nonowning(this); }
#else
  std::shared_ptr<Node> self() { return getptr(); }
#endif
};

inline auto make_node() {
#if TORCH_VERSION_MINOR >= 13
  return c10::make_intrusive<RustNode>();
#else
  return std::shared_ptr<RustNode>(new RustNode(), torch::autograd::deleteNode);
#endif
}

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

struct AutogradKernel final : c10::OperatorKernel {
  explicit AutogradKernel(AutogradOp op) : op(std::move(op)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    if (C10_LIKELY(!may_need_grad(*stack))) {
      below(handle, keys, stack);
    } else {
      record(handle, keys, stack);
    }
  }

 private:
  AutogradOp op;

  void below(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) const {
    if (!op.written_arguments.empty()) {
      // By way of the kernel that counts versions.
      at::AutoDispatchBelowAutograd guard;
      return handle.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    }
    at::AutoDispatchBelowADInplaceOrView guard;
    handle.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
  }

  // Cheap and safe: a tensor without autograd metadata neither requires grad nor carries a forward gradient.
  bool may_need_grad(const Stack& stack) const {
    const IValue* arguments = stack.data() + (stack.size() - op.argument_count);
    for (uint16_t index : op.tensor_arguments) {
      const IValue& value = arguments[index];
      if (C10_LIKELY(value.isTensor())) {
        if (value.toTensor().unsafeGetTensorImpl()->autograd_meta() != nullptr) return true;
      } else if (!value.isNone()) {
        return true;
      }
    }
    return false;
  }

  C10_NOINLINE void record(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    const size_t base = stack->size() - op.argument_count;
    bool requires_grad = false;
    bool forward_mode = false;
    each_tensor(op.tensor_arguments, stack->data() + base, [&](uint16_t, const at::Tensor& t) {
      if (!t.defined()) return;
      requires_grad |= t.requires_grad();
      forward_mode |= torch::autograd::isFwGradDefined(t);
    });
    TORCH_CHECK_NOT_IMPLEMENTED(!forward_mode, op.name,
        ": an argument carries a forward-mode gradient, and the operator has no forward-mode derivative");
    if (!c10::GradMode::is_enabled()) return below(handle, keys, stack);
    each_tensor(op.written_arguments, stack->data() + base, [&](uint16_t, const at::Tensor& t) {
      // Leaves and views of leaves, as for torch's own operators.
      if (t.defined()) torch::autograd::check_inplace(t, requires_grad);
    });
    if (!requires_grad) return below(handle, keys, stack);
    TORCH_CHECK_NOT_IMPLEMENTED(op.written_arguments.empty(), op.name,
        ": an argument requires grad, but the operator writes to its arguments and has no backward; call it under torch.no_grad()");

    auto node = make_node();
    auto plan = std::make_shared<Plan>();
    plan->op = &op;
    plan->edges.resize(op.argument_count, {0, 0});
    variable_list inputs;
    each_tensor(op.tensor_arguments, stack->data() + base, [&](uint16_t index, const at::Tensor& t) {
      auto& [first, count] = plan->edges[index];
      if (count++ == 0) first = static_cast<uint32_t>(inputs.size());
      inputs.push_back(t);
    });
    plan->edge_count = static_cast<uint32_t>(inputs.size());
    node->set_next_edges(torch::autograd::collect_next_edges(inputs));
    if (op.backward) {
      for (const Need& need : op.backward->needs) add_source(*node, *plan, need, stack->data() + base);
    }

    below(handle, keys, stack);

    IValue* results = stack->data() + (stack->size() - op.return_count);
    std::vector<uint32_t> place(op.return_count, 0);
    bool any = false;
    for (size_t i = 0; i < op.return_count; i++) {
      // A gradient belongs to every result, in order; those that cannot have one are undefined inputs of the node.
      const bool differentiable = results[i].isTensor() && results[i].toTensor().defined() &&
          torch::autograd::isDifferentiableType(results[i].toTensor().scalar_type());
      if (differentiable) {
        torch::autograd::set_history(results[i].toTensor(), node);
        node->outputs.emplace_back(results[i].toTensor());
        any = true;
      } else {
        node->add_input_metadata(Node::undefined_input());
        node->outputs.emplace_back();
      }
    }
    if (any && op.backward) {
      size_t parameter = 0;
      for (const Need& need : op.backward->needs) {
        if (need.kind == NeedKind::Output) save(*node, plan->sources[parameter], results[need.index], true);
        parameter++;
      }
    }
    node->plan = std::move(plan);
  }

  template <class N>
  static void save(N& node, Source& source, const IValue& value, bool is_output) {
    if (value.isTensor() && value.toTensor().defined()) {
      source.from = Source::From::Tensor;
      source.index = static_cast<uint32_t>(node.saved.size());
      node.saved.emplace_back(value.toTensor(), is_output);
      node.saved_is_output.push_back(is_output);
    } else if (value.isTensorList()) {
      auto list = value.toListRef();
      source.from = Source::From::TensorList;
      source.index = static_cast<uint32_t>(node.saved.size());
      source.count = static_cast<uint32_t>(list.size());
      for (const IValue& element : list) {
        node.saved.emplace_back(element.toTensor(), is_output);
        node.saved_is_output.push_back(is_output);
      }
    } else {
      source.from = Source::From::Constant;
      source.index = static_cast<uint32_t>(node.constants.size());
      node.constants.push_back(value);
    }
  }

  template <class N>
  static void add_source(N& node, Plan& plan, const Need& need, const IValue* arguments) {
    Source source{Source::From::Constant, 0};
    switch (need.kind) {
      case NeedKind::Argument: save(node, source, arguments[need.index], false); break;
      case NeedKind::Output: break; // saved once it exists
      case NeedKind::Gradient: source = {Source::From::Gradient, need.index, 1, !need.optional}; break;
      case NeedKind::NeedsGrad: {
        auto [first, count] = plan.edges[need.index];
        source = {count > 0 ? Source::From::NeedsGrad : Source::From::Never, first};
        break;
      }
    }
    plan.sources.push_back(source);
  }
};

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
    each_tensor(written, arguments, [&](uint16_t target, const at::Tensor& to) {
      if (!to.defined()) return;
      at::assert_no_internal_overlap(to);
      each_tensor(tensors, arguments, [&](uint16_t source, const at::Tensor& from) {
        if (from.defined() && source != target) at::assert_no_overlap(to, from);
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
