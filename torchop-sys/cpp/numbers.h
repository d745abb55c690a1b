// The numbers in an object's state as one text.
//
// A fake method computes with the numbers that it sees, and they end in the compiled graph. Dynamo takes a number that has
// changed twice for one that may be anything, and no longer looks at it; at a text it always looks.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdio>

namespace torchop {

constexpr const char* NUMBERS = "#numbers";

inline void add_numbers(const c10::IValue& value, std::string& text) {
  if (value.isInt()) {
    text += std::to_string(value.toInt()) + " ";
  } else if (value.isDouble()) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%a ", value.toDouble());
    text += digits;
  } else if (value.isComplexDouble()) {
    add_numbers(c10::IValue(value.toComplexDouble().real()), text);
    add_numbers(c10::IValue(value.toComplexDouble().imag()), text);
  } else if (value.isTuple()) {
    for (const auto& element : value.toTupleRef().elements()) add_numbers(element, text);
    text += "; ";
  } else if (value.isList()) {
    for (const auto& element : value.toListRef()) add_numbers(element, text);
    text += "; ";
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      add_numbers(entry.key(), text);
      add_numbers(entry.value(), text);
    }
    text += "; ";
  } else {
    text += ", ";
  }
}

// The entry of a flattened object beside its fields: `("#numbers", text)`.
inline c10::IValue numbers_entry(c10::ArrayRef<c10::IValue> entries) {
  std::string text;
  for (const auto& entry : entries) add_numbers(entry, text);
  return c10::ivalue::Tuple::create({c10::IValue(NUMBERS), c10::IValue(std::move(text))});
}

} // namespace torchop
