// The autograd kernel that every operator gets.
#pragma once

#include "mutation.h"
#include "node.h"

#include <torch/csrc/autograd/functions/utils.h>

namespace torchop {

struct AutogradKernel final : c10::OperatorKernel {
  explicit AutogradKernel(AutogradOp op) : op(std::move(op)) {}

  [[gnu::flatten]] void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    if (C10_LIKELY(!may_need_grad(*stack))) {
      pass(handle, keys, stack);
    } else {
      record(handle, keys, stack);
    }
  }

 private:
  AutogradOp op;

  // Whether a kernel for dense memory comes next: no mode, no wrapper, and no fake, which would run without a guard.
  static bool is_backend_next(c10::DispatchKeySet rest) {
    const auto dense = c10::DispatchKeySet(c10::DispatchKey::Dense).raw_repr();
    const auto meta = c10::DispatchKeySet(c10::BackendComponent::MetaBit).raw_repr();
    // The backends' bits come first, then the functionalities' in order of priority, with dense memory the lowest.
    const auto other_backends = ((uint64_t{1} << c10::num_backends) - 1) & ~meta;
    return (rest.raw_repr() & ~other_backends) == dense;
  }

  // Without a gradient in sight. To a backend as torch does it for operators without an autograd kernel, with no guard: our
  // backend kernels have their own.
  void pass(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) const {
    const auto rest = keys & c10::after_ADInplaceOrView_keyset;
    if (C10_UNLIKELY(!is_backend_next(rest) || !op.written_arguments.empty())) return below(handle, keys, stack);
    handle.redispatchBoxed(rest, stack);
  }

  C10_NOINLINE void below(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) const {
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
    return std::any_of(op.tensor_arguments.begin(), op.tensor_arguments.end(),
        [&](uint16_t index) { return has_autograd_metadata(arguments[index]); });
  }

  static bool has_autograd_metadata(const IValue& value) {
    if (C10_LIKELY(value.isTensor())) return value.toTensor().unsafeGetTensorImpl()->autograd_meta() != nullptr;
    if (value.isNone()) return false;
    if (!value.isList()) return true;
    auto elements = value.toListRef();
    return std::any_of(elements.begin(), elements.end(), has_autograd_metadata);
  }

  C10_NOINLINE void record(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    const size_t base = stack->size() - op.argument_count;
    bool requires_grad = false;
    bool forward_mode = false;
    bool written_requires_grad = false;
    each_tensor(op.tensor_arguments, stack->data() + base, [&](uint16_t, const at::Tensor& t) {
      if (!t.defined()) return;
      requires_grad |= t.requires_grad();
      forward_mode |= torch::autograd::isFwGradDefined(t);
    });
    each_tensor(op.written_arguments, stack->data() + base, [&](uint16_t, const at::Tensor& t) {
      // Leaves and views of leaves, as for torch's own operators.
      if (c10::GradMode::is_enabled() && t.defined()) torch::autograd::check_inplace(t, requires_grad);
      written_requires_grad |= t.defined() && (t.requires_grad() || torch::autograd::isFwGradDefined(t));
    });
    if (op.constant_results.size() == op.return_count && op.is_declared_constant && !written_requires_grad) {
      return below(handle, keys, stack);
    }
    TORCH_CHECK_NOT_IMPLEMENTED(!forward_mode || op.jvp, op.name,
        ": an argument carries a forward-mode gradient, and the operator has no forward-mode derivative; write one with "
        "`#[torch_op(jvp_of = …)]`");
    std::vector<IValue> forward;
    if (forward_mode) forward = jvp_arguments(*op.jvp, stack->data() + base);
    if (requires_grad && c10::GradMode::is_enabled()) {
      with_node(handle, keys, stack);
    } else {
      below(handle, keys, stack);
    }
    if (forward_mode) {
      IValue* results = stack->data() + (stack->size() - op.return_count);
      set_tangents(*op.jvp, std::move(forward), results, [&](size_t i) { return is_differentiable(results, i); });
    }
  }

  // Whether a result has a gradient.
  bool is_differentiable(const IValue* results, size_t i) const {
    if (std::find(op.constant_results.begin(), op.constant_results.end(), i) != op.constant_results.end()) return false;
    if (results[i].isTensorList()) {
      auto list = results[i].toListRef();
      return std::any_of(list.begin(), list.end(), [](const IValue& element) {
        return element.toTensor().defined() && torch::autograd::isDifferentiableType(element.toTensor().scalar_type());
      });
    }
    return results[i].isTensor() && results[i].toTensor().defined() &&
        torch::autograd::isDifferentiableType(results[i].toTensor().scalar_type());
  }

  void with_node(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, Stack* stack) {
    const size_t base = stack->size() - op.argument_count;
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
      const bool differentiable = results[i].isTensor() && is_differentiable(results, i);
      TORCH_CHECK_NOT_IMPLEMENTED(!results[i].isTensorList() || !is_differentiable(results, i), op.name, ": an argument requires "
          "grad, and result ", i, " is a list of tensors, through which no gradient goes; return the tensors one by one, say "
          "`nondifferentiable` on the definition, or call under torch.no_grad()");
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
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      auto list = value.toListRef();
      source.from = Source::From::TensorList;
      source.index = static_cast<uint32_t>(node.saved.size());
      source.count = static_cast<uint32_t>(list.size());
      for (const IValue& element : list) {
        node.saved.emplace_back(element.isTensor() ? element.toTensor() : at::Tensor(), is_output);
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

} // namespace torchop
