// Arguments of a call into torch, as Rust hands them over: torch's values, and what is lent for the call without being one.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstring>
#include <vector>

namespace torchop {

// As `RawValue` in torchop-sys/src/types.rs.
struct Lent {
  uint64_t payload;
  uint32_t tag;
  uint32_t note;

  // The payload is the address of `note` numbers, tensors or pointers to tensors; no value of torch's has such a tag.
  static constexpr uint32_t INTS = 0xffff'ff00, TENSORS = 0xffff'ff01, TENSOR_POINTERS = 0xffff'ff02;

  explicit Lent(const c10::IValue& value) { std::memcpy(this, &value, sizeof(*this)); }

  bool is_ints() const { return tag == INTS; }
  at::IntArrayRef ints() const { return {reinterpret_cast<const int64_t*>(payload), note}; }
  bool is_tensors() const { return tag == TENSORS || tag == TENSOR_POINTERS; }
  // Those behind pointers are copied to `held`.
  at::TensorList tensors(std::vector<at::Tensor>& held) const {
    if (tag == TENSORS) return {reinterpret_cast<const at::Tensor*>(payload), note};
    held.reserve(note);
    for (uint32_t i = 0; i < note; i++) held.push_back(*reinterpret_cast<const at::Tensor* const*>(payload)[i]);
    return held;
  }
  // A value that somebody else owns: it is copied, not moved.
  bool is_borrowed() const { return note != 0; }

  // A value of torch's own.
  c10::IValue taken(c10::IValue& value) const {
    if (is_ints()) return c10::IValue(ints());
    if (is_tensors()) {
      std::vector<at::Tensor> held;
      return c10::IValue(tensors(held));
    }
    if (is_borrowed()) return value;
    return std::move(value);
  }
};
static_assert(sizeof(Lent) == sizeof(c10::IValue));

} // namespace torchop
