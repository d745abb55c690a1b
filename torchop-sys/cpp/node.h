// The graph node behind a backward in Rust.
#pragma once

#include "forward_mode.h"
#include "kernels.h"
#include "values.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>
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

  // Whether it takes the gradient of that result of the operator.
  bool takes(size_t result) const {
    return std::any_of(needs.begin(), needs.end(),
        [&](const Need& need) { return need.kind == NeedKind::Gradient && need.index == result; });
  }
};

struct AutogradOp {
  // These two texts live as long as the process.
  std::string_view name;
  std::vector<uint16_t> tensor_arguments;
  std::vector<uint16_t> written_arguments;
  uint16_t argument_count;
  uint16_t return_count;
  // The results that have no gradient though their dtype could have one.
  std::vector<uint16_t> constant_results;
  // All of them by the author's word, also where there are none.
  bool is_declared_constant = false;
  std::optional<Backward> backward;
  std::optional<Jvp> jvp;
  // Said when somebody asks for a gradient that the operator does not have.
  std::string_view no_backward;
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
  for (size_t i = 0; i < grads.size(); i++) {
    TORCH_CHECK_NOT_IMPLEMENTED(!grads[i].defined() || backward.takes(i), backward.target.name, ": a gradient came for result ", i,
        ", and the backward has no `grad_…` parameter for it; take it, or say `nondifferentiable(…)` of that result on the definition");
  }
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

  std::string name() const override {
    return std::string(plan->op->backward ? plan->op->backward->target.name : plan->op->name);
  }

  variable_list apply(variable_list&& grads) override {
    // Two backward passes may run through one node at the same time.
    std::unique_lock<std::mutex> lock(mutex_);
    TORCH_CHECK_NOT_IMPLEMENTED(plan->op->backward.has_value(), plan->op->no_backward);
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
  }

  // Compiled autograd. All that a node does differently from another is part of the key, since all operators share this class:
  // the operator, which parameters of the backward come from where, and the constants, which the graph holds as numbers.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override {
    TORCH_CHECK_NOT_IMPLEMENTED(plan->op->backward.has_value(), plan->op->no_backward);
    args.collect(name());
    args.collect(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(plan->op)));
    for (const Source& source : plan->sources) {
      args.collect(static_cast<uint64_t>(source.from));
      args.collect(static_cast<uint64_t>(source.index) << 32 | source.count);
    }
    for (auto [first, count] : plan->edges) args.collect(static_cast<uint64_t>(first) << 32 | count);
    for (size_t i = 0; i < saved.size(); i++) args.collect(saved[i], saved_is_output[i]);
    for (const auto& value : constants) collect_constant(args, value);
    args.collect(outputs);
  }

  variable_list apply_with_saved(const variable_list& grads, torch::dynamo::autograd::SwapSavedVariables& swap) override {
    using namespace torch::dynamo::autograd;
    swap.before(saved);
    swap.before(outputs);
    std::vector<IValue> packed{IValuePacker<std::vector<bool>>::pack(wanted()),
                               IValuePacker<std::vector<torch::autograd::VariableInfo>>::pack(outputs)};
    for (auto& tensor : unpack()) packed.emplace_back(std::move(tensor));
    std::vector<at::TypePtr> types;
    types.reserve(packed.size());
    for (const auto& value : packed) {
      types.push_back(value.isTensor() ? at::TypePtr(at::TensorType::get()) : value.type());
    }
    auto traced = [plan = plan, count = saved.size(), constants = constants](const variable_list& grads, const std::vector<IValue>& args) {
      auto wanted = IValuePacker<std::vector<bool>>::unpack(args[0]);
      auto outputs = IValuePacker<std::vector<torch::autograd::VariableInfo>>::unpack(args[1]);
      std::vector<at::Tensor> tensors;
      for (size_t i = 0; i < count; i++) tensors.push_back(args[2 + i].isNone() ? at::Tensor() : args[2 + i].toTensor());
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
    swap.after(outputs);
    return result;
  }

 private:
  // With its type: torch hashes None, 0 and false alike.
  void collect_constant(torch::dynamo::autograd::CompiledNodeArgs& args, const IValue& value) const {
    args.collect(static_cast<uint64_t>(Bits(value).tag));
    if (value.isInt()) {
      args.collect(value.toInt());
    } else if (value.isDouble()) {
      args.collect(value.toDouble());
    } else if (value.isString()) {
      args.collect(value.toStringRef());
    } else if (value.isList()) {
      auto elements = value.toListRef();
      args.collect(static_cast<uint64_t>(elements.size()));
      for (const auto& element : elements) collect_constant(args, element);
    } else if (!value.isNone() && !(value.isTensor() && !value.toTensor().defined())) {
      TORCH_CHECK_NOT_IMPLEMENTED(!value.isTensor() && !value.isGenericDict() && !value.isTuple(), name(),
          ": compiled autograd cannot trace a backward that takes a ", value.tagKind(), " here");
      args.collect(value);
    }
  }

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

} // namespace torchop
