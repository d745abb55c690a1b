// What a tensor is beside its sizes; tensors of memory that Rust owns; tensors as text.
#pragma once

#include "types.h"

#include <ATen/core/Formatting.h>
#include <ATen/ops/from_blob.h>

namespace torchop {

inline bool tensor_is_contiguous_as(const at::Tensor& t, int8_t format) {
  return t.is_contiguous(static_cast<c10::MemoryFormat>(format));
}
inline bool tensor_is_conj(const at::Tensor& t) noexcept { return t.is_conj(); }
inline bool tensor_is_neg(const at::Tensor& t) noexcept { return t.is_neg(); }
inline bool tensor_is_inference(const at::Tensor& t) { return t.is_inference(); }
inline int64_t tensor_version(const at::Tensor& t) { return t._version(); }
inline size_t tensor_address(const at::Tensor& t) { return reinterpret_cast<size_t>(t.const_data_ptr()); }
inline size_t tensor_storage(const at::Tensor& t) {
  return t.has_storage() ? reinterpret_cast<size_t>(t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl()) : 0;
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
