// A tensor's metadata, memory and symbolic sizes.
#pragma once

#include "types.h"

namespace torchop {

inline at::Tensor tensor_undefined() noexcept { return at::Tensor(); }
inline at::Tensor tensor_clone_handle(const at::Tensor& t) noexcept { return t; }
inline void tensor_drop_handle(at::Tensor* t) noexcept { std::destroy_at(t); }
inline bool tensor_defined(const at::Tensor& t) noexcept { return t.defined(); }
inline size_t tensor_use_count(const at::Tensor& t) noexcept { return t.use_count(); }

inline int64_t tensor_dim(const at::Tensor& t) { return t.dim(); }
inline bool tensor_is_contiguous(const at::Tensor& t) { return t.is_contiguous(); }
inline bool tensor_requires_grad(const at::Tensor& t) noexcept { return t.requires_grad(); }
inline int8_t tensor_dtype(const at::Tensor& t) { return static_cast<int8_t>(t.scalar_type()); }
inline int8_t tensor_device_type(const at::Tensor& t) { return static_cast<int8_t>(t.device().type()); }
inline int8_t tensor_device_index(const at::Tensor& t) { return static_cast<int8_t>(t.device().index()); }
inline int8_t tensor_layout(const at::Tensor& t) { return static_cast<int8_t>(t.layout()); }
inline size_t tensor_item_size(const at::Tensor& t) { return t.element_size(); }

// Copied into Rust at once: another handle to the same tensor may resize it. While torch traces, a tensor may have symbols
// among its sizes: `known` says whether it has none.
inline rust::Slice<const int64_t> known_ints(c10::SymIntArrayRef list, bool& known) {
  auto ints = c10::asIntArrayRefSlowOpt(list);
  known = ints.has_value();
  return known ? rust::Slice<const int64_t>{ints->data(), ints->size()} : rust::Slice<const int64_t>{};
}
inline rust::Slice<const int64_t> tensor_sizes(const at::Tensor& t, bool& known) { return known_ints(t.sym_sizes(), known); }
inline rust::Slice<const int64_t> tensor_strides(const at::Tensor& t, bool& known) {
  return known_ints(t.sym_strides(), known);
}
inline int64_t known_int(const c10::SymInt& value, bool& known) {
  auto number = value.maybe_as_int();
  known = number.has_value();
  return number.value_or(0);
}
inline int64_t tensor_size(const at::Tensor& t, int64_t dim, bool& known) { return known_int(t.sym_sizes().at(dim), known); }
inline int64_t tensor_numel(const at::Tensor& t, bool& known) { return known_int(t.sym_numel(), known); }
inline int64_t tensor_storage_offset(const at::Tensor& t, bool& known) { return known_int(t.sym_storage_offset(), known); }

// Null for tensors without memory: meta and fake ones, and empty ones.
inline const uint8_t* tensor_data(const at::Tensor& t) {
  return static_cast<const uint8_t*>(t.const_data_ptr());
}

inline c10::SymInt tensor_sym_size(const at::Tensor& t, int64_t dim) { return t.sym_sizes().at(dim); }
inline c10::SymInt tensor_sym_stride(const at::Tensor& t, int64_t dim) { return t.sym_strides().at(dim); }
inline c10::SymInt tensor_sym_numel(const at::Tensor& t) { return t.sym_numel(); }
inline c10::SymInt tensor_sym_storage_offset(const at::Tensor& t) { return t.sym_storage_offset(); }

inline std::unique_ptr<std::string> dtype_name(int8_t dtype) {
  return std::make_unique<std::string>(c10::toString(static_cast<c10::ScalarType>(dtype)));
}
// Whether this torch has a dtype, layout or memory format (`kind` 0, 1, 2) of that number.
inline bool code_is_known(uint8_t kind, int8_t code) noexcept {
  if (code < 0) return false;
  if (kind == 0) return code < static_cast<int8_t>(c10::ScalarType::NumOptions) && code != static_cast<int8_t>(c10::ScalarType::Undefined);
  if (kind == 1) return code < static_cast<int8_t>(c10::Layout::NumOptions);
  return code < static_cast<int8_t>(c10::MemoryFormat::NumOptions);
}
inline std::unique_ptr<std::string> device_name(int8_t type) {
  return std::make_unique<std::string>(c10::DeviceTypeName(static_cast<c10::DeviceType>(type), /*lower_case=*/true));
}

} // namespace torchop
