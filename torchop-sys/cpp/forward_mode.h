// Forward-mode derivatives by a function in Rust.
#pragma once

#include "kernels.h"

#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/functions/utils.h>

namespace torchop {

// Same order as `JvpNeedKind` in torchop-runtime.
enum class JvpNeedKind : uint8_t { Argument, Tangent, Output };

struct JvpNeed {
  JvpNeedKind kind;
  uint16_t index;
  // A tangent that is not there is None, else zeros.
  bool optional;
};

struct Jvp {
  Target target;
  std::vector<JvpNeed> needs;
};

inline at::Tensor primal_of(const at::Tensor& t) { return t.defined() ? t._fw_primal(0) : t; }

inline at::Tensor tangent_of(const at::Tensor& t, bool optional) {
  if (!t.defined()) return t;
  const at::Tensor& tangent = t._fw_grad(0);
  return tangent.defined() || optional ? tangent : at::zeros_like(primal_of(t));
}

inline IValue or_none(at::Tensor t) { return t.defined() ? IValue(std::move(t)) : IValue(); }

// What a function takes for an argument: its value without the tangent.
inline IValue primal_of(const IValue& value) {
  if (value.isTensor()) return or_none(primal_of(value.toTensor()));
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const IValue& element : value.toListRef()) list.push_back(primal_of(element.toTensor()));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const IValue& element : value.toListRef()) {
      list.push_back(element.isTensor() ? std::optional<at::Tensor>(primal_of(element.toTensor())) : std::nullopt);
    }
    return list;
  }
  return value;
}

inline IValue tangent_of(const IValue& value, bool optional) {
  if (value.isTensor()) return or_none(tangent_of(value.toTensor(), optional));
  if (!value.isList()) return IValue();
  c10::List<std::optional<at::Tensor>> list;
  for (const IValue& element : value.toListRef()) {
    at::Tensor tangent = element.isTensor() ? tangent_of(element.toTensor(), true) : at::Tensor();
    list.push_back(tangent.defined() ? std::optional<at::Tensor>(std::move(tangent)) : std::nullopt);
  }
  return list;
}

// What the function takes, but for the results, which do not exist yet.
inline std::vector<IValue> jvp_arguments(const Jvp& jvp, const IValue* arguments) {
  std::vector<IValue> values;
  values.reserve(jvp.needs.size());
  for (const JvpNeed& need : jvp.needs) {
    switch (need.kind) {
      case JvpNeedKind::Argument: values.push_back(primal_of(arguments[need.index])); break;
      case JvpNeedKind::Tangent: values.push_back(tangent_of(arguments[need.index], need.optional)); break;
      case JvpNeedKind::Output: values.emplace_back(); break;
    }
  }
  return values;
}

// Calls the function and puts its tangents on the results.
template <class IsDifferentiable>
void set_tangents(const Jvp& jvp, std::vector<IValue>&& values, IValue* results, IsDifferentiable is_differentiable) {
  for (size_t i = 0; i < jvp.needs.size(); i++) {
    if (jvp.needs[i].kind == JvpNeedKind::Output) values[i] = results[jvp.needs[i].index];
  }
  ResultBuffer tangents(jvp.target.results);
  if (Failure* failure = jvp.target.function(jvp.target.context, values.data(), values.size(), tangents.data(), jvp.target.results)) {
    raise(failure);
  }
  for (size_t i = 0; i < jvp.target.results; i++) {
    const IValue& tangent = tangents.data()[i];
    if (!is_differentiable(i)) continue;
    if (tangent.isTensor()) {
      if (tangent.toTensor().defined()) results[i].toTensor()._set_fw_grad(tangent.toTensor(), 0, /*is_inplace_op=*/false);
    } else if (tangent.isList()) {
      auto given = tangent.toListRef(), to = results[i].toListRef();
      TORCH_CHECK_VALUE(given.size() == to.size(), jvp.target.name, ": returned ", given.size(), " tangents for a list of ",
                        to.size(), " tensors");
      for (size_t k = 0; k < given.size(); k++) {
        if (given[k].isTensor() && given[k].toTensor().defined()) {
          to[k].toTensor()._set_fw_grad(given[k].toTensor(), 0, /*is_inplace_op=*/false);
        }
      }
    }
  }
}

} // namespace torchop
