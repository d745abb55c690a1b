// Calls of operators from Rust.
#pragma once

#include "lent.h"
#include "resizing.h"
#include "tensors.h"
#include "typed_calls.h"
#include "values.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

namespace torchop {

// What an operator does with an argument. As `Effect` in torchop-runtime, but for `Trains`: writes if its argument `training` is true.
enum class Effect : uint8_t { Reads, Writes, Resizes, Trains };

// A registered operator.
class Operator {
 public:
  explicit Operator(c10::OperatorHandle handle)
      : handle_(std::move(handle)), typed_(typed_call(handle_)), results_(handle_.schema().returns().size()) {
    const auto& name = handle_.operator_name().name;
    bool sets = name == "aten::set_" || name == "aten::set", resizes = name.find("resize_") != std::string::npos;
    training_ = handle_.schema().argumentIndexWithName("training");
    for (const auto& argument : handle_.schema().arguments()) {
      bool writes = argument.alias_info() && argument.alias_info()->isWrite();
      bool unsaid = is_written_unsaid(name, argument.name());
      // Torch's functions with an `out` give it the sizes that they need; `set_` makes the storage of `source` large enough.
      bool grows = sets || (writes && (resizes || argument.kwarg_only()));
      effects_.push_back(grows ? Effect::Resizes : unsaid && training_ ? Effect::Trains : writes || unsaid ? Effect::Writes : Effect::Reads);
      resizes_ |= grows;
    }
    is_plain_ = typed_ && !resizes_;
  }

  // Of these arguments; those that are not given are not tensors.
  Effect effect(size_t argument, const RawValue* arguments, size_t count) const {
    if (argument >= effects_.size()) return Effect::Reads;
    if (effects_[argument] != Effect::Trains) return effects_[argument];
    const auto at = static_cast<size_t>(*training_);
    return at < count && arguments[at].isBool() && !arguments[at].toBool() ? Effect::Reads : Effect::Writes;
  }

  // Takes the arguments that are not lent (leaving them behind, or None), fills the results. Trailing arguments that are not
  // given have their defaults.
  void call(RawValue* arguments, size_t count, RawValue* results, size_t result_count, bool checked) const {
    if (C10_LIKELY(is_plain_ && !checked && count == effects_.size() && result_count == results_)) return typed_->call(arguments, results);
    call_slowly(arguments, count, results, result_count, checked);
  }

 private:
  [[gnu::noinline]] void call_slowly(RawValue* arguments, size_t count, RawValue* results, size_t result_count, bool checked) const {
    if (count > effects_.size() || result_count != results_) wrong_count(count, result_count);
    for (size_t i = 0; checked && i < count; i++) check(arguments[i], i);
    if (!resizes_) return run(arguments, count, results, result_count);
    SizesBefore before;
    for (size_t i = 0; i < count; i++) {
      if (effects_[i] == Effect::Resizes) before.keep(arguments[i]);
    }
    try {
      run(arguments, count, results, result_count);
    } catch (...) {
      before.put_back();
      throw;
    }
  }

  // Torch's normalisations write to their running statistics, of which most of their schemas say nothing, when they train. `instance_norm`
  // always does.
  static bool is_written_unsaid(const std::string& operator_name, const std::string& argument) {
    return (argument == "running_mean" || argument == "running_var") && operator_name.rfind("aten::", 0) == 0 &&
        operator_name.find("_backward") == std::string::npos;
  }

  void run(RawValue* arguments, size_t count, RawValue* results, size_t result_count) const {
    if (typed_ && count == effects_.size()) return typed_->call(arguments, results);
    torch::jit::Stack stack;
    stack.reserve(std::max(effects_.size(), result_count));
    for (size_t i = 0; i < count; i++) stack.push_back(Lent(arguments[i]).taken(arguments[i]));
    for (size_t i = count; i < effects_.size(); i++) stack.push_back(default_of(i));
    handle_.callBoxed(stack);
    for (size_t i = 0; i < result_count; i++) results[i] = std::move(stack[i]);
  }

  const c10::Argument& argument(size_t index) const { return handle_.schema().arguments()[index]; }

  void check(const IValue& value, size_t index) const {
    const auto& type = *argument(index).type();
    Lent lent(value);
    bool ints = lent.is_ints(), tensors = lent.is_tensors();
    if (value.isInt()) check_code(value.toInt(), index);
    if (ints ? fits(IValue(c10::List<int64_t>()), type) : tensors ? fits(IValue(c10::List<at::Tensor>()), type) : fits(value, type)) return;
    TORCH_CHECK_TYPE(false, name(), ": argument '", argument(index).name(), "' (position ", index, "): expected ",
                     argument(index).real_type()->str(), ", got ", ints ? "int[]" : tensors ? "Tensor[]" : value.type<c10::Type>()->str());
  }

  // Dtypes, layouts and memory formats are numbers in schemas. Torch takes any number for one of them, without a look.
  void check_code(int64_t code, size_t index) const {
    const c10::Type* type = argument(index).real_type().get();
    if (type->kind() == c10::TypeKind::OptionalType) type = type->expectRef<c10::OptionalType>().getElementType().get();
    int kind = -1;
    if (type->kind() == c10::TypeKind::ScalarTypeType) kind = 0;
    if (type->kind() == c10::TypeKind::LayoutType) kind = 1;
    if (type->kind() == c10::TypeKind::MemoryFormatType) kind = 2;
    if (kind < 0 || (code == static_cast<int8_t>(code) && code_is_known(static_cast<uint8_t>(kind), static_cast<int8_t>(code)))) return;
    TORCH_CHECK_VALUE(false, name(), ": argument '", argument(index).name(), "' (position ", index, "): there is no ", type->str(), " of number ", code);
  }

  static bool fits(const IValue& value, const c10::Type& type) {
    const bool symbol = value.isSymInt() || value.isSymFloat() || value.isSymBool();
    switch (type.kind()) {
      case c10::TypeKind::AnyType: return true;
      // An undefined tensor is a None.
      case c10::TypeKind::TensorType: return value.isTensor();
      case c10::TypeKind::IntType: return value.isInt() || value.isSymInt();
      case c10::TypeKind::FloatType: return value.isDouble() || value.isSymFloat();
      case c10::TypeKind::BoolType: return value.isBool() || value.isSymBool();
      case c10::TypeKind::NumberType: return value.isScalar() || value.isUnsigned() || symbol;
      case c10::TypeKind::OptionalType:
        return value.isNone() || fits(value, *type.expectRef<c10::OptionalType>().getElementType());
      case c10::TypeKind::ListType: return value.isList() && fits_list(value, *type.expectRef<c10::ListType>().getElementType());
      // Whoever reads them looks at the parts.
      case c10::TypeKind::TupleType: return value.isTuple();
      case c10::TypeKind::DictType: return value.isGenericDict();
      default: return value.isPyObject() || value.type<c10::Type>()->isSubtypeOf(type);
    }
  }

  // A list of symbols is one of numbers to a schema, a list of tensors one of optional tensors.
  static bool fits_list(const IValue& value, const c10::Type& element) {
    auto given = value.toList().elementType();
    if (given->kind() == element.kind()) return true;
    if (element.kind() == c10::TypeKind::IntType) return given->kind() == c10::TypeKind::SymIntType;
    return given->isSubtypeOf(element);
  }

  [[noreturn, gnu::cold]] void wrong_count(size_t count, size_t result_count) const {
    TORCH_CHECK_TYPE(false, name(), ": takes ", effects_.size(), " arguments and returns ", results_, " values; called with ",
                     count, " for ", result_count, ": `", c10::toString(handle_.schema()), "`");
  }
  IValue default_of(size_t index) const {
    const auto& value = argument(index).default_value();
    TORCH_CHECK_TYPE(value, name(), ": argument '", argument(index).name(), "' (position ", index,
                     ") is not given and has no default: `", c10::toString(handle_.schema()), "`");
    return *value;
  }
  std::string name() const { return c10::toString(handle_.operator_name()); }

  c10::OperatorHandle handle_;
  std::unique_ptr<TypedCall> typed_;
  std::vector<Effect> effects_;
  std::optional<int> training_;
  bool resizes_ = false;
  // A typed call, and nothing to do around it.
  bool is_plain_ = false;
  size_t results_;
};

inline std::unique_ptr<Operator> operator_find(rust::Str name, rust::Str overload) {
  return std::make_unique<Operator>(
      c10::Dispatcher::singleton().findSchemaOrThrow(std::string(name).c_str(), std::string(overload).c_str()));
}

inline uint8_t operator_effect(const Operator& op, size_t argument, const RawValue* arguments, size_t count) noexcept {
  return static_cast<uint8_t>(op.effect(argument, arguments, count));
}

inline void operator_call(const Operator& op, RawValue* arguments, size_t count, RawValue* results, size_t result_count,
                          bool checked) {
  op.call(arguments, count, results, result_count, checked);
}

// Modes of the thread.
inline bool grad_enabled() noexcept { return c10::GradMode::is_enabled(); }
inline void grad_enable(bool on) noexcept { c10::GradMode::set_enabled(on); }
inline bool inference_enabled() noexcept { return c10::InferenceMode::is_enabled(); }
using InferenceMode = c10::InferenceMode;
inline std::unique_ptr<InferenceMode> inference_mode(bool on) { return std::make_unique<c10::InferenceMode>(on); }

// Of the process.
inline void manual_seed(uint64_t seed) { at::manual_seed(seed); }
inline int8_t default_dtype() noexcept { return static_cast<int8_t>(c10::get_default_dtype_as_scalartype()); }
inline void set_default_dtype(int8_t dtype) { c10::set_default_dtype(c10::scalarTypeToTypeMeta(static_cast<c10::ScalarType>(dtype))); }

} // namespace torchop
