// The backward of an operator that takes objects, for compiled graphs. While torch traces, such an operator goes past our
// autograd kernel: stand-ins for objects live in Python alone. So Python records the gradient, and calls two hidden operators:
//
//   `_held_name(objects…, Tensor any) -> Tensor`        a tensor that keeps the objects
//   `_backward_name(Tensor held, needs…, likes…) -> …`  the Rust backward, described as for `RustNode`
//
// The graph of a backward can be given tensors that the forward made, but no objects.
#pragma once

#include "node.h"

#include <torch/library.h>

namespace torchop {

// Objects that live as long as a tensor's memory.
struct HeldObjects {
  std::vector<IValue> objects;
  uint8_t byte = 0;
};

// Its address marks memory of this library's making.
inline void drop_held_objects(void* held) noexcept { delete static_cast<HeldObjects*>(held); }

inline at::Tensor hold_objects(std::vector<IValue> objects) {
  auto* held = new HeldObjects{std::move(objects)};
  at::DataPtr memory(&held->byte, held, &drop_held_objects, c10::Device(c10::kCPU));
  c10::Storage storage(c10::Storage::use_byte_size_t(), 1, std::move(memory), nullptr, /*resizable=*/false);
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                         caffe2::TypeMeta::Make<uint8_t>());
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous({1});
  return tensor;
}

inline std::vector<IValue> objects_held(const Target& target, const IValue& value, size_t count) {
  const bool has_memory = value.isTensor() && value.toTensor().defined() && value.toTensor().has_storage();
  if (has_memory) {
    const at::DataPtr& memory = value.toTensor().storage().data_ptr();
    if (memory.get_deleter() == &drop_held_objects) {
      const auto& objects = static_cast<const HeldObjects*>(memory.get_context())->objects;
      if (objects.size() == count) return objects;
    }
  }
  C10_THROW_ERROR(TypeError, c10::str(target.name, ": the first argument does not hold the operator's objects"));
}

struct HoldKernel final : c10::OperatorKernel {
  explicit HoldKernel(size_t count) : count(count) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    std::vector<IValue> objects(stack->end() - static_cast<int64_t>(count + 1), stack->end() - 1);
    torch::jit::drop(*stack, count + 1);
    stack->emplace_back(hold_objects(std::move(objects)));
  }
  size_t count;
};

// A gradient as the fake of the hidden operator says it: in the sizes, the dtype and the strides of what it belongs to, in memory of
// its own. The first two are what the autograd engine does with a gradient.
inline at::Tensor gradient_like(const Target& target, size_t index, at::Tensor grad, const IValue& like_value) {
  if (!like_value.isTensor() || !like_value.toTensor().defined()) return at::zeros({});
  const at::Tensor& like = like_value.toTensor();
  if (!grad.defined()) return at::zeros_like(like);
  if (!grad.sizes().equals(like.sizes())) {
    TORCH_CHECK(at::is_expandable_to(like.sizes(), grad.sizes()), target.name, ": returned an invalid gradient at index ", index,
                " - got ", grad.sizes(), " but expected shape compatible with ", like.sizes());
    grad = at::sum_to(std::move(grad), like.sizes());
  }
  const auto strides = at::empty_like(like, at::TensorOptions().device(at::kMeta)).strides().vec();
  if (grad.scalar_type() == like.scalar_type() && grad.device() == like.device() && grad.layout() == like.layout() &&
      grad.strides() == at::IntArrayRef(strides) && !grad.is_conj() && !grad.is_neg() && !is_held_elsewhere(grad)) {
    return grad;
  }
  return at::empty_like(like).copy_(grad);
}

struct TracedBackwardKernel final : c10::OperatorKernel {
  TracedBackwardKernel(Backward backward, std::vector<bool> is_object)
      : backward(std::move(backward)), is_object(std::move(is_object)) {
    objects = static_cast<size_t>(std::count(this->is_object.begin(), this->is_object.end(), true));
  }

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    const Target& target = backward.target;
    const size_t needs = backward.needs.size() - objects, likes = backward.gradients.size(), size = 1 + needs + likes;
    TORCH_CHECK_TYPE(stack->size() >= size, target.name, ": called with too few values");
    const IValue* given = stack->data() + (stack->size() - size);
    auto held = objects_held(target, given[0], objects);
    std::vector<IValue> arguments;
    arguments.reserve(backward.needs.size());
    size_t next = 1, object = 0;
    for (size_t i = 0; i < backward.needs.size(); i++) {
      const IValue& value = is_object[i] ? held[object++] : given[next++];
      const bool is_undefined = value.isTensor() && !value.toTensor().defined();
      arguments.push_back(is_undefined ? IValue() : value);
    }
    std::vector<IValue> gradients;
    {
      at::AutoDispatchBelowADInplaceOrView guard;
      ResultBuffer results(target.results);
      if (Failure* failure = target.function(target.context, arguments.data(), arguments.size(), results.data(), target.results)) {
        raise(failure);
      }
      for (size_t i = 0; i < likes; i++) gradients.push_back(like(i, std::move(results.data()[i]), given[1 + needs + i]));
    }
    torch::jit::drop(*stack, size);
    for (auto& gradient : gradients) stack->push_back(std::move(gradient));
  }

 private:
  Backward backward;
  std::vector<bool> is_object;
  size_t objects;

  IValue like(size_t index, IValue&& result, const IValue& like) const {
    if (!like.isList()) {
      auto grad = result.isTensor() ? std::move(result).toTensor() : at::Tensor();
      return gradient_like(backward.target, index, std::move(grad), like);
    }
    auto likes = like.toListRef();
    const bool is_none = result.isNone();
    const size_t given = is_none ? likes.size() : result.toListRef().size();
    TORCH_CHECK_VALUE(given == likes.size(), backward.target.name, ": returned ", given, " gradients for a list of ", likes.size(), " tensors");
    c10::List<at::Tensor> gradients;
    for (size_t k = 0; k < likes.size(); k++) {
      at::Tensor grad;
      if (!is_none) {
        // The list has a reference too, so it is copied.
        auto element = result.toListRef()[k];
        if (element.isTensor()) grad = element.toTensor();
      }
      gradients.push_back(gradient_like(backward.target, index, std::move(grad), likes[k]));
    }
    return gradients;
  }
};

inline bool is_class(const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::ClassType; }

// Whether torch can trace the operator and no gradient would get lost between the two hidden ones.
inline bool can_trace_backward(const c10::FunctionSchema& schema, const AutogradOp& op) {
  if (!op.backward || !op.written_arguments.empty()) return false;
  for (const auto& argument : schema.arguments()) {
    // Objects in optionals and lists are torch's limit.
    if (!is_class(argument) && argument.type()->annotation_str().find("__torch__.") != std::string::npos) return false;
  }
  for (const auto& result : schema.returns()) {
    // No gradient goes through lists of tensors, and objects do not leave a graph.
    const bool is_tensor = result.type()->kind() == c10::TypeKind::TensorType;
    const auto text = result.type()->annotation_str();
    if (!is_tensor && (text.find("Tensor") != std::string::npos || text.find("__torch__.") != std::string::npos)) return false;
  }
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), is_class);
}

struct TracedBackward {
  c10::FunctionSchema held, backward;
  std::vector<bool> is_object;
  size_t objects;
};

inline TracedBackward traced_backward(const c10::FunctionSchema& schema, const AutogradOp& op, const std::string& held,
                                      const std::string& backward) {
  auto argument = [](std::string name, const c10::Argument& like) {
    return c10::Argument(std::move(name), like.type(), like.real_type(), like.N());
  };
  std::vector<c10::Argument> objects, needs{c10::Argument("held", c10::TensorType::get())}, gradients;
  std::vector<bool> is_object;
  for (const Need& need : op.backward->needs) {
    const auto name = c10::str("need", is_object.size());
    const bool object = need.kind == NeedKind::Argument && is_class(schema.arguments()[need.index]);
    is_object.push_back(object);
    if (object) {
      objects.push_back(argument(c10::str("object", objects.size()), schema.arguments()[need.index]));
      continue;
    }
    switch (need.kind) {
      case NeedKind::Argument: needs.push_back(argument(name, schema.arguments()[need.index])); break;
      case NeedKind::Output: needs.push_back(argument(name, schema.returns()[need.index])); break;
      case NeedKind::Gradient: needs.emplace_back(name, c10::OptionalType::create(c10::TensorType::get())); break;
      case NeedKind::NeedsGrad: needs.emplace_back(name, c10::BoolType::get()); break;
    }
  }
  for (size_t i = 0; i < op.backward->gradients.size(); i++) {
    const auto& of = schema.arguments()[op.backward->gradients[i]];
    needs.push_back(argument(c10::str("like", i), of));
    const bool is_list = of.type()->annotation_str().find("List") != std::string::npos;
    gradients.emplace_back("", is_list ? at::TypePtr(c10::ListType::ofTensors()) : at::TypePtr(c10::TensorType::get()));
  }
  const size_t count = objects.size();
  objects.emplace_back("any", c10::TensorType::get());
  return {c10::FunctionSchema(held, "", std::move(objects), {c10::Argument("", c10::TensorType::get())}),
          c10::FunctionSchema(backward, "", std::move(needs), std::move(gradients)), std::move(is_object), count};
}

} // namespace torchop
