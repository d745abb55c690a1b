// Tensors of memory that another library made, on any device.
#pragma once

#include "torchop-sys/cpp/storage.h"
#include "torchop-sys/cpp/types.h"
#include "rust/cxx.h"

#include <ATen/ops/from_blob.h>

namespace torchop {

// Why a tensor cannot be given away. Same order as `PROBLEMS` in src/lib.rs.
inline uint8_t dlpack_problem(const TensorHandle& t) noexcept {
  if (!t.defined() || t.layout() != c10::kStrided || t.is_nested()) return 1;
  if (t.is_meta() || !t.has_storage() || t.unsafeGetTensorImpl()->is_python_dispatch()) return 2;
  if (t.is_conj() || t.is_neg()) return 3;
  if (t.requires_grad()) return 4;
  if (t.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) return 2;
  if (!fits_storage(t)) return 5;
  return 0;
}

// `drop(context)` runs once, on any thread, when nobody has the memory any more, and also if this fails.
inline TensorHandle dlpack_import(size_t data, rust::Slice<const int64_t> sizes, rust::Slice<const int64_t> strides, int8_t dtype,
                                  int8_t device_type, int8_t device_index, uint8_t* context, DropFn drop) {
  auto deleter = reinterpret_cast<c10::DeleterFnPtr>(drop);
  std::unique_ptr<void, c10::DeleterFnPtr> owned(context, deleter);
  c10::Device device(static_cast<c10::DeviceType>(device_type), device_index);
  auto maker = at::for_blob(reinterpret_cast<void*>(data), at::IntArrayRef(sizes.data(), sizes.size()));
  maker.strides(at::OptionalIntArrayRef(at::IntArrayRef(strides.data(), strides.size())));
  maker.options(at::TensorOptions(static_cast<c10::ScalarType>(dtype)).device(device));
  maker.target_device(device);
  maker.context(owned.release(), deleter);
  return maker.make_tensor();
}

} // namespace torchop
