// Symbolic numbers: what stands for sizes, comparisons and factors while torch traces.
#pragma once

#include "types.h"

#include <c10/core/SymBool.h>
#include <c10/core/SymFloat.h>
#include <c10/core/SymInt.h>

namespace torchop {

using SymBool = c10::SymBool;
using SymFloat = c10::SymFloat;

// Numbers below -2^62 get a node of their own, whose making fails only without memory.
inline c10::SymInt sym_int_new(int64_t value) noexcept { return c10::SymInt(value); }
inline c10::SymInt sym_int_clone(const c10::SymInt& s) noexcept { return s; }
inline void sym_int_drop(c10::SymInt* s) noexcept { std::destroy_at(s); }
inline bool sym_int_is_symbolic(const c10::SymInt& s) noexcept { return s.is_symbolic(); }
// The number, if it is one or a symbol that can be no other.
inline int64_t sym_int_known(const c10::SymInt& s, bool& known) {
  auto number = s.maybe_as_int();
  known = number.has_value();
  return number.value_or(0);
}
// Specialises the graph that is being traced to the present value.
inline int64_t sym_int_guard(const c10::SymInt& s) { return s.guard_int("torchop", 0); }

// Same order as `Arithmetic` in torchop-runtime. Numbers alone are Rust's: torch's would overflow, or divide by zero.
inline c10::SymInt sym_int_arithmetic(const c10::SymInt& a, const c10::SymInt& b, uint8_t operation) {
  switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b; // of symbols, rounded down
    case 4: return a % b;
    case 5: return a.min(b);
    default: return a.max(b);
  }
}
// Same order as `Comparison` in torchop-runtime.
template <class Number>
std::unique_ptr<SymBool> sym_compare(const Number& a, const Number& b, uint8_t comparison) {
  switch (comparison) {
    case 0: return std::make_unique<SymBool>(a.sym_eq(b));
    case 1: return std::make_unique<SymBool>(a.sym_ne(b));
    case 2: return std::make_unique<SymBool>(a.sym_lt(b));
    case 3: return std::make_unique<SymBool>(a.sym_le(b));
    case 4: return std::make_unique<SymBool>(a.sym_gt(b));
    default: return std::make_unique<SymBool>(a.sym_ge(b));
  }
}
inline std::unique_ptr<SymBool> sym_int_compare(const c10::SymInt& a, const c10::SymInt& b, uint8_t comparison) {
  return sym_compare(a, b, comparison);
}
template <class Number>
std::unique_ptr<std::string> sym_text(const Number& s) {
  std::ostringstream out;
  out << s;
  return std::make_unique<std::string>(out.str());
}
inline std::unique_ptr<std::string> sym_int_text(const c10::SymInt& s) { return sym_text(s); }

inline std::unique_ptr<SymFloat> sym_float_new(double value) { return std::make_unique<SymFloat>(value); }
inline std::unique_ptr<SymFloat> sym_float_of(const c10::SymInt& s) { return std::make_unique<SymFloat>(static_cast<SymFloat>(s)); }
inline std::unique_ptr<SymFloat> sym_float_copy(const SymFloat& s) { return std::make_unique<SymFloat>(s); }
inline bool sym_float_is_symbolic(const SymFloat& s) noexcept { return s.is_symbolic(); }
inline double sym_float_guard(const SymFloat& s) { return s.guard_float("torchop", 0); }
// As for integers, with division in the place of rounding down, and the square root of `a` last.
inline std::unique_ptr<SymFloat> sym_float_arithmetic(const SymFloat& a, const SymFloat& b, uint8_t operation) {
  switch (operation) {
    case 0: return std::make_unique<SymFloat>(a + b);
    case 1: return std::make_unique<SymFloat>(a - b);
    case 2: return std::make_unique<SymFloat>(a * b);
    case 3: return std::make_unique<SymFloat>(a / b);
    case 5: return std::make_unique<SymFloat>(a.min(b));
    case 6: return std::make_unique<SymFloat>(a.max(b));
    default: return std::make_unique<SymFloat>(a.sqrt());
  }
}
inline std::unique_ptr<SymBool> sym_float_compare(const SymFloat& a, const SymFloat& b, uint8_t comparison) {
  return sym_compare(a, b, comparison);
}
inline std::unique_ptr<std::string> sym_float_text(const SymFloat& s) { return sym_text(s); }

inline std::unique_ptr<SymBool> sym_bool_new(bool value) { return std::make_unique<SymBool>(value); }
inline std::unique_ptr<SymBool> sym_bool_copy(const SymBool& s) { return std::make_unique<SymBool>(s); }
inline std::unique_ptr<SymBool> sym_bool_and(const SymBool& a, const SymBool& b) {
  return std::make_unique<SymBool>(a.sym_and(b));
}
inline std::unique_ptr<SymBool> sym_bool_or(const SymBool& a, const SymBool& b) {
  return std::make_unique<SymBool>(a.sym_or(b));
}
inline std::unique_ptr<SymBool> sym_bool_not(const SymBool& a) { return std::make_unique<SymBool>(a.sym_not()); }
inline bool sym_bool_guard(const SymBool& s) { return s.guard_bool("torchop", 0); }
inline bool sym_bool_expect(const SymBool& s) { return s.expect_true("torchop", 0); }
// What is given where torch cannot tell without specialising.
inline bool sym_bool_guard_or(const SymBool& s, bool otherwise) {
  return otherwise ? s.guard_or_true("torchop", 0) : s.guard_or_false("torchop", 0);
}
inline std::unique_ptr<std::string> sym_bool_text(const SymBool& s) { return sym_text(s); }

// A `float` or `bool` argument; null if it is none.
inline std::unique_ptr<SymFloat> value_sym_float(const RawValue* value) {
  if (!value->isDouble() && !value->isSymFloat()) return nullptr;
  return std::make_unique<SymFloat>(value->toSymFloat());
}
inline std::unique_ptr<SymBool> value_sym_bool(const RawValue* value) {
  if (!value->isBool() && !value->isSymBool()) return nullptr;
  return std::make_unique<SymBool>(value->toSymBool());
}

} // namespace torchop
