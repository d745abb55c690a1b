// What a tensor is beside its sizes; tensors of memory that Rust owns; tensors as text.
#pragma once

#include "types.h"

#include <ATen/core/Formatting.h>
#include <ATen/ops/from_blob.h>

namespace torchop {

inline bool tensor_is_contiguous_as(const at::Tensor& t, int8_t format) {
  return t.is_contiguous(static_cast<c10::MemoryFormat>(format));
}
inline bool tensor_is_conj(const at::Tensor& t) { return t.is_conj(); }
inline bool tensor_is_neg(const at::Tensor& t) { return t.is_neg(); }
inline bool tensor_is_inference(const at::Tensor& t) { return t.is_inference(); }
inline int64_t tensor_version(const at::Tensor& t) { return t._version(); }
inline size_t tensor_address(const at::Tensor& t) { return reinterpret_cast<size_t>(t.const_data_ptr()); }
inline size_t tensor_storage(const at::Tensor& t) {
  return t.has_storage() ? reinterpret_cast<size_t>(t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl()) : 0;
}

// What loops ask for, in one call and without an exception: 0 if `value` is set, 1 if there is no such dimension, 2 if the slow
// way has to say (symbols, tensors whose sizes Python knows).
template <class Ask>
uint8_t plain(const at::Tensor& t, int64_t dim, int64_t& value, Ask ask) noexcept {
  try {
    const at::IntArrayRef list = ask(t.unsafeGetTensorImpl());
    const auto rank = static_cast<int64_t>(list.size());
    if (dim < 0) dim += rank;
    if (C10_UNLIKELY(dim < 0 || dim >= rank)) return 1;
    value = list.data()[dim];
    return 0;
  } catch (...) {
    return 2;
  }
}
inline uint8_t tensor_plain_size(const at::Tensor& t, int64_t dim, int64_t& size) noexcept {
  return plain(t, dim, size, [](auto* impl) { return impl->sizes(); });
}
inline uint8_t tensor_plain_stride(const at::Tensor& t, int64_t dim, int64_t& stride) noexcept {
  return plain(t, dim, stride, [](auto* impl) { return impl->strides(); });
}

// The same for single numbers: -1 if the slow way has to say.
template <class Ask>
int64_t quick(const at::Tensor& t, Ask ask) noexcept {
  try {
    return static_cast<int64_t>(ask(t));
  } catch (...) {
    return -1;
  }
}
inline int64_t tensor_quick_dim(const at::Tensor& t) noexcept {
  return quick(t, [](auto& t) { return t.dim(); });
}
inline int64_t tensor_quick_numel(const at::Tensor& t) noexcept {
  return quick(t, [](auto& t) { return t.numel(); });
}
inline int64_t tensor_quick_offset(const at::Tensor& t) noexcept {
  return quick(t, [](auto& t) { return t.storage_offset(); });
}
inline int64_t tensor_quick_contiguous(const at::Tensor& t) noexcept {
  return quick(t, [](auto& t) { return t.is_contiguous(); });
}
inline int8_t tensor_quick_dtype(const at::Tensor& t) noexcept { return static_cast<int8_t>(t.scalar_type()); }

// Copies at most `room` sizes or strides and says how many there are.
template <class Ask>
int64_t copied(int64_t* to, size_t room, Ask ask) noexcept {
  try {
    const at::IntArrayRef list = ask();
    if (list.size() <= room) std::copy(list.begin(), list.end(), to);
    return static_cast<int64_t>(list.size());
  } catch (...) {
    return -1;
  }
}
inline int64_t tensor_copy_sizes(const at::Tensor& t, int64_t* to, size_t room) noexcept {
  return copied(to, room, [&] { return t.sizes(); });
}
inline int64_t tensor_copy_strides(const at::Tensor& t, int64_t* to, size_t room) noexcept {
  return copied(to, room, [&] { return t.strides(); });
}

// Where the storage's memory begins, and how many bytes it has.
inline bool tensor_storage_range(const at::Tensor& t, size_t& begin, size_t& bytes) noexcept {
  if (!t.defined() || !t.has_storage() || t.unsafeGetTensorImpl()->device_type() != c10::DeviceType::CPU) return false;
  auto* storage = t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  const auto held = storage->sym_nbytes().maybe_as_int();
  begin = reinterpret_cast<size_t>(storage->_mutable_data_ptr_no_checks().get());
  bytes = static_cast<size_t>(held.value_or(0));
  return begin != 0 && bytes != 0;
}

// A tensor of memory of the CPU that somebody else owns. `drop(context)` runs once, on any thread, when nobody has the memory
// any more, and also if this fails.
inline at::Tensor tensor_from_memory(size_t data, rust::Slice<const int64_t> sizes, rust::Slice<const int64_t> strides,
                                     int8_t dtype, uint8_t* context, DropFn drop) {
  auto deleter = reinterpret_cast<c10::DeleterFnPtr>(drop);
  std::unique_ptr<void, c10::DeleterFnPtr> owned(context, deleter);
  auto maker = at::for_blob(reinterpret_cast<void*>(data), at::IntArrayRef(sizes.data(), sizes.size()));
  maker.strides(at::OptionalIntArrayRef(at::IntArrayRef(strides.data(), strides.size())));
  maker.options(at::TensorOptions(static_cast<c10::ScalarType>(dtype)));
  maker.context(owned.release(), deleter);
  return maker.make_tensor();
}

// As C++ prints it.
inline std::unique_ptr<std::string> tensor_text(const at::Tensor& t) {
  std::ostringstream out;
  at::print(out, t, 80);
  return std::make_unique<std::string>(out.str());
}

} // namespace torchop
