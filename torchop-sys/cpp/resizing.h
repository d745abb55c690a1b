// Tensors whose resizing fails.
#pragma once

#include "lent.h"
#include "storage.h"

#include <c10/util/SmallVector.h>

namespace torchop {

// Torch gives a tensor its new sizes, then asks the storage to grow, which may be refused: memory of somebody else does not grow. The
// tensor would then have elements where there is no memory, and the next operator would read them.
class SizesBefore {
 public:
  // Of a value that an operator may resize.
  void keep(const c10::IValue& value) {
    Lent lent(value);
    std::vector<at::Tensor> held;
    if (lent.is_tensors()) {
      for (const at::Tensor& t : lent.tensors(held)) keep(t);
    } else if (value.isTensor()) {
      keep(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& t : value.toTensorVector()) keep(t);
    }
  }

  // Gives back their sizes to those that have outgrown their storage.
  void put_back() const noexcept {
    for (const Kept& kept : tensors_) {
      if (fits_storage(kept.tensor)) continue;
      auto* impl = kept.tensor.unsafeGetTensorImpl();
      try {
        impl->set_sizes_and_strides(kept.sizes, kept.strides, kept.offset);
      } catch (...) {
      }
      // `set_` has given it another storage.
      if (!fits_storage(kept.tensor)) impl->set_sizes_contiguous(c10::IntArrayRef({0}));
    }
  }

 private:
  struct Kept {
    at::Tensor tensor;
    c10::DimVector sizes, strides;
    int64_t offset;
  };

  static bool is_plain(const at::Tensor& t) {
    if (!t.defined()) return false;
    auto* impl = t.unsafeGetTensorImpl();
    return !impl->is_python_dispatch() && !impl->is_nested() && impl->layout() == c10::kStrided && impl->has_storage() &&
        !impl->has_symbolic_sizes_strides();
  }

  void keep(const at::Tensor& t) {
    if (is_plain(t)) tensors_.push_back({t, c10::DimVector(t.sizes()), c10::DimVector(t.strides()), t.storage_offset()});
  }

  c10::SmallVector<Kept, 2> tensors_;
};

} // namespace torchop
