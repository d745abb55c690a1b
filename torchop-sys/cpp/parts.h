// What a tensor is made of that does not say by sizes and strides where its elements are.
#pragma once

#include "types.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/functorch/BatchedTensorImpl.h>

namespace torchop {

// The part of that number, of which an operator on the tensor reads or writes the memory; an undefined tensor behind the last one.
// `vmap` and functionalization wrap one tensor. Of the wrappers of `torch.func.grad` nobody is told: their header needs a library that torch
// does not ship. Wrappers of Python's have none: what they do is foreign code's.
inline TensorHandle tensor_part(const TensorHandle& t, size_t index) noexcept {
  auto one_of = [index](std::initializer_list<at::Tensor> parts) { return index < parts.size() ? parts.begin()[index] : at::Tensor(); };
  try {
    if (!t.defined()) return {};
    if (auto* batched = at::functorch::maybeGetBatchedImpl(t)) return one_of({batched->value()});
    if (at::functionalization::impl::isFunctionalTensor(t)) return one_of({at::functionalization::impl::unsafeGetFunctionalWrapper(t)->value()});
    auto* impl = t.unsafeGetTensorImpl();
    if (auto* sparse = dynamic_cast<at::SparseTensorImpl*>(impl)) return one_of({sparse->indices(), sparse->values()});
    if (auto* rows = dynamic_cast<at::SparseCsrTensorImpl*>(impl)) return one_of({rows->compressed_indices(), rows->plain_indices(), rows->values()});
    if (auto* nested = dynamic_cast<at::native::NestedTensorImpl*>(impl)) return one_of({nested->get_unsafe_storage_as_tensor()});
  } catch (...) {
  }
  return {};
}

} // namespace torchop
