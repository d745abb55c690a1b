// The bridge's functions as cxx sees them: plain forwards into the parts. One translation unit, since torch's headers
// cost seconds each.
#pragma once

#include "types.h"
#include "visibility.h"

#include "symbols.h"
#include "devices.h"
#include "tensors.h"
#include "values.h"

#include "agreement.h"
#include "autograd.h"
#include "calls.h"
#include "classes.h"
#include "kernels.h"
#include "library.h"
#include "memory.h"
#include "metadata.h"
#include "parallel.h"
#include "parts.h"

namespace torchop {

inline std::unique_ptr<Failure> failure_take() noexcept { return std::move(last_failure()); }
inline std::unique_ptr<Failure> failure_new(uint8_t kind, rust::Str message) {
  return make_failure(static_cast<Kind>(kind), std::string(message));
}
inline uint8_t failure_kind(const Failure& failure) noexcept { return failure.kind(); }
inline const std::string& failure_message(const Failure& failure) noexcept { return failure.message(); }
inline void value_layout(std::array<uint64_t, 13>& tags) { tags = value_tags(); }
inline std::unique_ptr<std::string> torch_version() { return std::make_unique<std::string>(TORCH_VERSION); }

} // namespace torchop
