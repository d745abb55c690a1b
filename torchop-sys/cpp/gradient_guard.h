// No gradient is lost without a word where Rust reads memory.
#pragma once

#include "types.h"

#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torchop {

// Numbers that are read from memory have no history. Inside a kernel that is right, since the operator has a backward; in a
// backward that is differentiated again, a composite function or a method, a gradient would be lost.
inline void require_no_gradient_lost(const at::Tensor& t) {
  if (C10_LIKELY(!c10::GradMode::is_enabled() || !t.defined() || !t.requires_grad())) return;
  if (c10::impl::tls_local_dispatch_key_set().excluded_.has(c10::DispatchKey::AutogradFunctionality)) return;
  C10_THROW_ERROR(NotImplementedError,
      "the memory of a tensor that requires grad is read outside of a kernel, which would lose its gradient; read `.detach()?` of "
      "it if none is wanted, or do this in an operator with a backward (for a backward that reads memory: "
      "`#[torch_op(backward_of = f, name = \"ns::f_backward\", cpu)]`)");
}

} // namespace torchop
