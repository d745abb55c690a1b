// Torch's values (c10::IValue) as Rust sees them: 16 bytes, a payload and a tag.
#pragma once

#include "types.h"

#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/util/bit_cast.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <array>
#include <cstring>

namespace torchop {

using c10::IValue;

static_assert(sizeof(c10::IValue) == 16, "torch changed the size of its values");
static_assert(sizeof(at::Tensor) == 8, "torch changed the size of its tensor handles");
static_assert(sizeof(c10::SymInt) == 8, "torch changed the size of its symbolic integers");

// A value whose bits are looked at, without giving up ownership.
struct Bits {
  uint64_t payload;
  uint32_t tag;

  explicit Bits(const IValue& value) {
    std::memcpy(&payload, &value, 8);
    std::memcpy(&tag, reinterpret_cast<const char*>(&value) + 8, 4);
  }
};

// Learns the tag numbers from real values (the enum is private) and checks that payloads lie where Rust reads them.
// In the order of `Tags` in torchop-runtime: Tensor, float, int, bool, str, list; last the payload of an undefined tensor.
inline std::array<uint64_t, 7> value_tags() {
  auto tensor = at::Tensor();
  auto check = [](bool right, const char* what) {
    TORCH_CHECK(right, "this torch lays out its values in a way that this build does not know: ", what);
  };
  const IValue none, floating(1.5), integer(int64_t{-7}), yes(true), no(false), undefined(tensor), string(""),
      list{c10::List<int64_t>()};
  check(Bits(floating).payload == c10::bit_cast<uint64_t>(1.5), "float");
  check(static_cast<int64_t>(Bits(integer).payload) == -7, "int");
  check((Bits(yes).payload & 0xff) == 1 && (Bits(no).payload & 0xff) == 0, "bool");
  check(Bits(undefined).payload == reinterpret_cast<uint64_t>(tensor.unsafeGetTensorImpl()), "Tensor");
  check(Bits(none).tag == 0 && Bits(none).payload == 0, "None");
  return {Bits(undefined).tag, Bits(floating).tag, Bits(integer).tag, Bits(yes).tag, Bits(string).tag, Bits(list).tag,
          Bits(undefined).payload};
}

inline void value_drop(RawValue* value) noexcept { std::destroy_at(value); new (value) IValue(); }

// What the value is, in torch's words, for messages.
inline std::unique_ptr<std::string> value_type_name(const RawValue* value) {
  if (value->isTensor() && !value->toTensor().defined()) return std::make_unique<std::string>("an undefined tensor");
  return std::make_unique<std::string>(value->type()->repr_str());
}

// A SymInt argument: concrete, or symbolic while torch traces.
inline bool value_is_sym_int(const RawValue* value) noexcept { return value->isSymInt(); }
inline c10::SymInt value_sym_int(const RawValue* value) { return value->toSymInt(); }

inline rust::Slice<const uint8_t> value_string(const RawValue* value) {
  const std::string& text = value->toStringRef();
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The elements of any list, in place.
inline const RawValue* value_list(const RawValue* value, size_t& length) {
  auto elements = value->toListRef();
  length = elements.size();
  return elements.data();
}

inline void value_put_string(RawValue* to, rust::Str text) { *to = IValue(std::string(text)); }

inline void value_put_sym_int(RawValue* to, c10::SymInt value) noexcept { *to = IValue(std::move(value)); }

// A list whose element type is given in torch's schema language. The elements are moved out.
inline void value_put_list(RawValue* to, rust::Str element, RawValue* elements, size_t length) {
  static thread_local std::pair<std::string, at::TypePtr> last;
  if (last.first != std::string_view(element.data(), element.size())) {
    std::string text(element);
    // The parser has no entry for a type alone.
    last.second = torch::jit::parseSchema("_(" + text + " _) -> ()").arguments()[0].type();
    last.first = std::move(text);
  }
  c10::impl::GenericList list(last.second);
  list.reserve(length);
  for (size_t i = 0; i < length; i++) list.push_back(std::move(elements[i]));
  *to = IValue(std::move(list));
}

} // namespace torchop
