// Typed calls: one instance of `Call` for each signature in the list at the end. An operator whose signature is not there is called
// with a stack of values, at about 100 ns more. A translation unit of its own, beside the bridge's.
#include "typed_calls.h"

#include "lent.h"

#include <ATen/core/IListRef.h>
#include <c10/util/OptionalArrayRef.h>

#include <string>
#include <tuple>
#include <utility>

namespace torchop {
namespace {

using c10::IValue;
using c10::SymInt;

// How an argument of type T is named in a schema, and how it is had from a value: `get` may refer to the value and to `this`.
template <class T> struct Argument;

template <> struct Argument<const at::Tensor&> {
  static constexpr const char* type = "Tensor";
  IValue& value;
  const at::Tensor& get() { return value.toTensor(); }
};
template <> struct Argument<at::Tensor&> {
  static constexpr const char* type = "Tensor!";
  IValue& value;
  at::Tensor held = {};
  // What is lent is not the operator's to replace.
  at::Tensor& get() { return held = std::as_const(value).toTensor(); }
};
template <> struct Argument<const std::optional<at::Tensor>&> {
  static constexpr const char* type = "Tensor?";
  IValue& value;
  std::optional<at::Tensor> held = {};
  const std::optional<at::Tensor>& get() { return held = value.toOptional<at::Tensor>(); }
};
template <> struct Argument<at::TensorList> {
  static constexpr const char* type = "Tensor[]";
  IValue& value;
  std::vector<at::Tensor> held = {};
  at::TensorList get() {
    Lent lent(value);
    if (lent.is_tensors()) return lent.tensors(held);
    return held = value.toTensorVector();
  }
};
template <> struct Argument<const at::ITensorListRef&> {
  static constexpr const char* type = "Tensor[]";
  IValue& value;
  Argument<at::TensorList> tensors{value};
  at::ITensorListRef list = {};
  const at::ITensorListRef& get() { return list = at::ITensorListRef(tensors.get()); }
};
template <> struct Argument<const at::Scalar&> {
  static constexpr const char* type = "Scalar";
  IValue& value;
  at::Scalar held = {};
  const at::Scalar& get() { return held = value.toScalar(); }
};
template <> struct Argument<const std::optional<at::Scalar>&> {
  static constexpr const char* type = "Scalar?";
  IValue& value;
  std::optional<at::Scalar> held = {};
  const std::optional<at::Scalar>& get() {
    if (!value.isNone()) held = value.toScalar();
    return held;
  }
};
template <> struct Argument<at::IntArrayRef> {
  static constexpr const char* type = "int[]";
  IValue& value;
  std::vector<int64_t> held = {};
  at::IntArrayRef get() {
    Lent lent(value);
    if (lent.is_ints()) return lent.ints();
    return held = value.toIntVector();
  }
};
template <> struct Argument<at::OptionalIntArrayRef> {
  static constexpr const char* type = "int[]?";
  IValue& value;
  Argument<at::IntArrayRef> list{value};
  at::OptionalIntArrayRef get() {
    if (value.isNone()) return std::nullopt;
    return list.get();
  }
};
template <> struct Argument<c10::SymIntArrayRef> {
  static constexpr const char* type = "SymInt[]";
  IValue& value;
  std::vector<SymInt> held = {};
  c10::SymIntArrayRef get() {
    Lent lent(value);
    if (lent.is_ints()) return c10::fromIntArrayRefSlow(lent.ints());
    return held = value.to<std::vector<SymInt>>();
  }
};

#define TORCHOP_PLAIN(T, name, read)                 \
  template <> struct Argument<T> {                   \
    static constexpr const char* type = name;        \
    IValue& value;                                   \
    T get() { return read; }                         \
  };                                                 \
  template <> struct Argument<std::optional<T>> {    \
    static constexpr const char* type = name "?";    \
    IValue& value;                                   \
    std::optional<T> get() {                         \
      if (value.isNone()) return std::nullopt;       \
      return read;                                   \
    }                                                \
  }

// Torch's own way is a call for each.
inline int64_t int_of(const IValue& value) {
  return C10_LIKELY(value.isInt()) ? static_cast<int64_t>(Lent(value).payload) : value.toInt();
}
inline SymInt sym_int_of(const IValue& value) { return C10_LIKELY(value.isInt()) ? SymInt(int_of(value)) : value.toSymInt(); }

TORCHOP_PLAIN(int64_t, "int", int_of(value));
TORCHOP_PLAIN(SymInt, "SymInt", sym_int_of(value));
TORCHOP_PLAIN(double, "float", value.toDouble());
TORCHOP_PLAIN(bool, "bool", value.toBool());
TORCHOP_PLAIN(at::ScalarType, "ScalarType", value.toScalarType());
TORCHOP_PLAIN(at::Layout, "Layout", value.toLayout());
TORCHOP_PLAIN(at::Device, "Device", value.toDevice());
TORCHOP_PLAIN(at::MemoryFormat, "MemoryFormat", value.toMemoryFormat());
TORCHOP_PLAIN(std::string_view, "str", value.toStringView());

// How a result of type R is named in a schema, and how it becomes values.
template <class R> struct Result {
  static void put(R&& result, IValue* to) { new (to) IValue(std::forward<R>(result)); }
};
template <class... R> struct Result<std::tuple<R...>> {
  static void put(std::tuple<R...>&& result, IValue* to) {
    std::apply([&](auto&&... one) { ((*to++ = IValue(std::move(one))), ...); }, std::move(result));
  }
};
template <> struct Result<at::Tensor&> {
  static void put(at::Tensor& result, IValue* to) { *to = IValue(result); }
};

template <class Signature> class Call;
template <class R, class... A> class Call<R(A...)> final : public TypedCall {
 public:
  using Handle = c10::TypedOperatorHandle<R(A...)>;
  explicit Call(Handle handle) : handle_(std::move(handle)) {}

  static bool takes(const std::vector<std::string>& types) {
    static const std::vector<std::string> own{Argument<A>::type...};
    return own == types;
  }
  // Torch compares the signature with that of its kernels, and throws if it is another.
  static std::unique_ptr<TypedCall> of(const c10::OperatorHandle& op) {
    return std::make_unique<Call>(op.typed<R(A...)>());
  }

  void call(IValue* arguments, IValue* results) const override {
    call(arguments, results, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I> void call(IValue* arguments, IValue* results, std::index_sequence<I...>) const {
    std::tuple<Argument<A>...> read{Argument<A>{arguments[I]}...};
    Result<R>::put(handle_.call(std::get<I>(read).get()...), results);
  }

  Handle handle_;
};

std::vector<std::string> types_of(const c10::FunctionSchema& schema) {
  std::vector<std::string> types;
  for (const auto& argument : schema.arguments()) {
    bool optional = argument.real_type()->kind() == c10::TypeKind::OptionalType;
    auto name = [](const c10::Type& type) -> std::string {
      switch (type.kind()) {
        case c10::TypeKind::NumberType: return "Scalar";
        case c10::TypeKind::DeviceObjType: return "Device";
        default: return type.str();
      }
    };
    const auto& inner = optional ? argument.real_type()->expectRef<c10::OptionalType>().getElementType() : argument.real_type();
    bool writes = argument.alias_info() && argument.alias_info()->isWrite();
    types.push_back(name(*inner) + (optional ? "?" : "") + (writes ? "!" : ""));
  }
  return types;
}

template <class... Signatures> std::unique_ptr<TypedCall> first_of(const c10::OperatorHandle& op) {
  const auto types = types_of(op.schema());
  std::unique_ptr<TypedCall> found;
  // Two signatures may take the same and give another result: torch tells them apart.
  auto try_one = [&](auto takes, auto of) {
    if (found || !takes(types)) return;
    try {
      found = of(op);
    } catch (const c10::Error&) {
    }
  };
  (try_one(Call<Signatures>::takes, Call<Signatures>::of), ...);
  return found;
}

} // namespace

std::unique_ptr<TypedCall> typed_call(const c10::OperatorHandle& op) {
  // Torch's operators have their kernels, with which the signature is compared, before anybody can call them.
  if (op.operator_name().getNamespace() != std::optional<std::string_view>("aten")) return nullptr;
  using Tensor = at::Tensor;
  using T = const at::Tensor&;
  using Opt = const std::optional<at::Tensor>&;
  using Out = at::Tensor&;
  using S = const at::Scalar&;
  using OptS = const std::optional<at::Scalar>&;
  using Tensors = std::vector<Tensor>;
  using Ints = at::IntArrayRef;
  using OptInts = at::OptionalIntArrayRef;
  using Syms = c10::SymIntArrayRef;
  using OptSym = std::optional<SymInt>;
  using DType = std::optional<at::ScalarType>;
  using Layout = std::optional<at::Layout>;
  using Device = std::optional<at::Device>;
  using Bool = std::optional<bool>;
  using Format = std::optional<at::MemoryFormat>;
  return first_of<
      Tensor(T), Tensor(T, T), Tensor(T, T, T), Tensor(T, S), Tensor(T, T, S), Tensor(T, S, S), Tensor(T, T, T, S, S), Tensor(T, OptS, OptS),
      Tensor(T, T, Opt), Tensor(T, int64_t), Tensor(T, int64_t, int64_t), Tensor(T, int64_t, SymInt),
      Tensor(T, int64_t, T), Tensor(T, int64_t, T, bool), Tensor(T, int64_t, T, T), Tensor(T, std::optional<int64_t>, bool), Tensor(T, int64_t, SymInt, SymInt), Tensor(T, int64_t, OptSym, OptSym, SymInt),
      Tensor(T, int64_t, DType), Tensor(T, DType), Tensor(T, OptInts, bool, DType), Tensor(T, Ints), Tensor(T, Syms),
      Tensor(T, Syms, bool), Tensor(T, Syms, Syms, OptSym), Tensor(T, std::string_view), Tensor(T, at::MemoryFormat),
      Tensor(T, Format), Tensor(T, at::ScalarType, bool, bool, Format),
      Tensor(T, DType, Layout, Device, Bool, bool, bool, Format), Tensor(T, DType, Layout, Device, Bool, Format),
      Tensor(Syms, DType, Layout, Device, Bool), Tensor(Syms, S, DType, Layout, Device, Bool), Tensor(T, Syms, DType, Layout, Device, Bool),
      Tensor(S, DType, Layout, Device, Bool), Tensor(T, double, bool), std::tuple<Tensor, Tensor>(T, SymInt, int64_t, bool, bool),
      Tensor(Syms, DType, Layout, Device, Bool, Format),
      Tensor(T, T, SymInt, bool, bool), Tensor(T, Syms, Opt, Opt, double, bool), Tensor(at::TensorList, int64_t),
      Tensor(const at::ITensorListRef&, int64_t), std::tuple<Tensor, Tensor>(T, int64_t, bool), Tensors(T, int64_t, int64_t), Tensors(T, SymInt, int64_t), Tensors(T, int64_t),
      bool(T), int64_t(T), SymInt(T),
      int64_t(T, int64_t), at::Scalar(T), Out(Out), Out(Out, T), Out(Out, S), Out(Out, T, S), Out(Out, S, S),
      Out(Out, T, bool)>(op);
}

} // namespace torchop
