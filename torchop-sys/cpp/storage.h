// Whether a tensor's memory is there.
#pragma once

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>

namespace torchop {

// Of a strided tensor with a storage and sizes that are numbers: whether its elements lie in the storage. A resizing that failed leaves
// sizes that they do not, and so does a storage that somebody made smaller.
inline bool fits_storage(const at::Tensor& t) noexcept {
  try {
    if (t.numel() == 0) return true;
    return at::detail::computeStorageNbytes(t.sizes(), t.strides(), t.dtype().itemsize(), t.storage_offset()) <= t.storage().nbytes();
  } catch (...) {
    return false; // more than can be counted
  }
}

} // namespace torchop
