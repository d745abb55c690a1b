// Autocast by a rule of the operator.
#pragma once

#include "kernels.h"

#include <ATen/autocast_mode.h>

namespace torchop {

// Casts the floating-point tensors of the device, once per tensor and region, as torch's own rules do; not those that are
// written to.
struct AutocastKernel final : c10::OperatorKernel {
  AutocastKernel(c10::DeviceType device, int8_t dtype, std::vector<uint16_t> tensors, uint16_t arguments)
      : device(device), dtype(dtype), tensors(std::move(tensors)), arguments(arguments) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, Stack* stack) {
    c10::impl::ExcludeDispatchKeyGuard guard(at::autocast::get_autocast_dispatch_key_from_device_type(device));
    const auto to = dtype < 0 ? at::autocast::get_autocast_dtype(device) : static_cast<c10::ScalarType>(dtype);
    IValue* first = stack->data() + (stack->size() - arguments);
    for (uint16_t index : tensors) first[index] = cast(std::move(first[index]), to);
    handle.callBoxed(stack);
  }

 private:
  IValue cast(IValue&& value, c10::ScalarType to) const {
    if (value.isTensor()) {
      const at::Tensor& t = value.toTensor();
      return t.defined() ? IValue(at::autocast::cached_cast(to, t, device)) : std::move(value);
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const IValue& element : value.toListRef()) {
        list.push_back(at::autocast::cached_cast(to, element.toTensor(), device));
      }
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const IValue& element : value.toListRef()) {
        list.push_back(element.isTensor() ? std::optional<at::Tensor>(at::autocast::cached_cast(to, element.toTensor(), device))
                                          : std::nullopt);
      }
      return list;
    }
    return std::move(value);
  }

  c10::DeviceType device;
  // -1: the dtype of the region.
  int8_t dtype;
  std::vector<uint16_t> tensors;
  uint16_t arguments;
};

} // namespace torchop
