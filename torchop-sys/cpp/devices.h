// Devices other than main memory, through c10's registry of backends: no header and no library of theirs.
#pragma once

#include "types.h"

#include <ATen/ops/empty_strided.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>

namespace torchop {

inline c10::Device device_of(int8_t type, int8_t index) { return {static_cast<c10::DeviceType>(type), index}; }

// The current stream of the device as its driver knows it, and the thread's current device of that type.
inline uint64_t device_stream(int8_t type, int8_t index, int8_t& current) {
  const c10::impl::VirtualGuardImpl backend(static_cast<c10::DeviceType>(type));
  current = backend.getDevice().index();
  return reinterpret_cast<uint64_t>(backend.getStream(device_of(type, index)).native_handle());
}

// Makes the device the current one of its type; gives the one that was.
inline int8_t device_exchange(int8_t type, int8_t index) {
  return c10::impl::VirtualGuardImpl(static_cast<c10::DeviceType>(type)).exchangeDevice(device_of(type, index)).index();
}
inline void device_set_back(int8_t type, int8_t index) noexcept {
  c10::impl::VirtualGuardImpl(static_cast<c10::DeviceType>(type)).uncheckedSetDevice(device_of(type, index));
}

// Makes the stream torch's current one of its device; gives the one that was, as identity, device type and index.
inline void stream_exchange(int64_t id, int8_t type, int8_t index, std::array<int64_t, 3>& before) {
  const c10::impl::VirtualGuardImpl backend(static_cast<c10::DeviceType>(type));
  const auto old = backend.exchangeStream(c10::Stream(c10::Stream::UNSAFE, device_of(type, index), id));
  before = {old.id(), static_cast<int64_t>(old.device_type()), old.device_index()};
}

// What a kernel on a device needs to know: the address of the first element (for writing, so that a lazy copy is made now),
// device type and index, dtype, layout, and whether there are elements.
inline void tensor_device_memory(const at::Tensor& t, bool written, std::array<int64_t, 6>& out) {
  const void* data = written ? t.mutable_data_ptr() : t.const_data_ptr();
  const auto device = t.device();
  out = {reinterpret_cast<int64_t>(data), static_cast<int64_t>(device.type()), device.index(),
         static_cast<int64_t>(t.scalar_type()), static_cast<int64_t>(t.layout()), t.numel() != 0};
}

// Uninitialised, on the tensor's device. A negative dtype is the tensor's own.
inline at::Tensor tensor_new_strided(const at::Tensor& t, rust::Slice<const int64_t> sizes,
                                     rust::Slice<const int64_t> strides, int8_t dtype) {
  auto options = t.options();
  if (dtype >= 0) options = options.dtype(static_cast<c10::ScalarType>(dtype));
  return at::empty_strided({sizes.data(), sizes.size()}, {strides.data(), strides.size()}, options);
}

} // namespace torchop
