// The state of an object, as it is pickled: `((name, value), …)`, with the version first if it is not 1.
#pragma once

#include "kernels.h"
#include "values.h"

#include <unordered_map>
#include <utility>

namespace torchop {

// Python tells a value's type by looking at it. An empty list or dictionary has none to see, so what holds other values is
// written as a tuple; `typed_value` makes it again what it was. A list of numbers, texts or tensors alone stays one.
inline IValue plain_value(const IValue& value) {
  auto tuple = [](at::ArrayRef<IValue> elements) {
    std::vector<IValue> plain;
    for (const IValue& element : elements) plain.push_back(plain_value(element));
    return IValue(c10::ivalue::Tuple::create(std::move(plain)));
  };
  if (value.isList()) {
    auto elements = value.toListRef();
    auto compound = [](const IValue& e) { return e.isList() || e.isTuple() || e.isGenericDict() || e.isNone(); };
    return elements.empty() || std::any_of(elements.begin(), elements.end(), compound) ? tuple(elements) : value;
  }
  if (value.isTuple()) return tuple(value.toTupleRef().elements().asArrayRef());
  if (!value.isGenericDict()) return value;
  std::vector<IValue> pairs;
  for (const auto& entry : value.toGenericDict()) {
    pairs.emplace_back(c10::ivalue::Tuple::create({plain_value(entry.key()), plain_value(entry.value())}));
  }
  return c10::ivalue::Tuple::create(std::move(pairs));
}

// The other way. What does not fit the type is left as it is: who reads it says so.
inline IValue typed_value(const IValue& value, const c10::Type& type) {
  auto elements = [&]() -> std::optional<at::ArrayRef<IValue>> {
    if (value.isList()) return value.toListRef();
    if (value.isTuple()) return value.toTupleRef().elements().asArrayRef();
    return std::nullopt;
  };
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      return value.isNone() ? value : typed_value(value, *type.expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType: {
      auto parts = elements();
      if (!parts) return value;
      const auto& element = type.expectRef<c10::ListType>().getElementType();
      c10::impl::GenericList list(element);
      list.reserve(parts->size());
      for (const IValue& part : *parts) list.push_back(typed_value(part, *element));
      return list;
    }
    case c10::TypeKind::TupleType: {
      auto parts = elements();
      auto types = type.containedTypes();
      if (!parts || parts->size() != types.size()) return value;
      std::vector<IValue> typed;
      for (size_t i = 0; i < types.size(); i++) typed.push_back(typed_value((*parts)[i], *types[i]));
      return c10::ivalue::Tuple::create(std::move(typed));
    }
    case c10::TypeKind::DictType: {
      auto parts = elements();
      if (!parts) return value;
      const auto& dict_type = type.expectRef<c10::DictType>();
      c10::impl::GenericDict dict(dict_type.getKeyType(), dict_type.getValueType());
      for (const IValue& part : *parts) {
        if (!part.isTuple() || part.toTupleRef().elements().size() != 2) return value;
        const auto& pair = part.toTupleRef().elements();
        dict.insert_or_assign(typed_value(pair[0], *dict_type.getKeyType()), typed_value(pair[1], *dict_type.getValueType()));
      }
      return dict;
    }
    default:
      return value;
  }
}

// The tensors and objects in the state that a thread was given last. A state that has them again was not written and read:
// it goes from one object to another, in `copy.deepcopy`, which means copies.
class Given {
 public:
  // Those of this thread, which are forgotten.
  static Given take() { return std::exchange(last(), Given()); }
  static void remember(const IValue& state) { last() = Given(); last().note(state); }

  // Weak references keep addresses from being used again.
  bool has(const at::Tensor& t) const {
    return std::any_of(tensors_.begin(), tensors_.end(), [&](const auto& w) { return w._unsafe_get_target() == t.unsafeGetTensorImpl(); });
  }
  bool has(const c10::ivalue::Object& object) const {
    return std::any_of(objects_.begin(), objects_.end(), [&](const auto& w) { return w._unsafe_get_target() == &object; });
  }

 private:
  static Given& last() {
    static thread_local Given given;
    return given;
  }

  void note(const IValue& value) {
    if (value.isTensor() && value.toTensor().defined()) tensors_.emplace_back(value.toTensor().getIntrusivePtr());
    if (value.isObject()) objects_.emplace_back(value.toObject());
    if (value.isTuple()) {
      for (const IValue& part : value.toTupleRef().elements()) note(part);
    }
    if (value.isList()) {
      for (const IValue& element : value.toListRef()) note(element);
    }
  }

  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> tensors_;
  std::vector<c10::weak_intrusive_ptr<c10::ivalue::Object>> objects_;
};

// Copies of some tensors, as torch's own deepcopy makes them: each storage is copied once and whole, so that tensors which
// share memory share it again; leaves stay leaves.
class Copies {
 public:
  // Of those that were given.
  explicit Copies(Given given) : given_(std::move(given)) {}
  // Of those that are elsewhere: copies on the device.
  explicit Copies(c10::Device device) : device_(device) {}

  IValue operator()(const IValue& value) {
    if (value.isTensor()) return copied(value.toTensor());
    if (value.isTuple()) {
      std::vector<IValue> parts;
      for (const IValue& part : value.toTupleRef().elements()) parts.push_back((*this)(part));
      return c10::ivalue::Tuple::create(std::move(parts));
    }
    if (value.isObject()) return given_.has(value.toObjectRef()) ? value.deepcopy() : value;
    if (value.isGenericDict()) return copied(value.toGenericDict());
    if (!value.isList()) return value;
    auto elements = value.toListRef();
    if (std::all_of(elements.begin(), elements.end(), [](const IValue& e) { return e.isInt() || e.isDouble() || e.isBool(); })) return value;
    c10::impl::GenericList list(value.toList().elementType());
    list.reserve(elements.size());
    for (const IValue& element : elements) list.push_back((*this)(element));
    return list;
  }

 private:
  at::Tensor copied(const at::Tensor& t) {
    if (!t.defined() || !(device_ ? t.device() != *device_ : given_.has(t))) return t;
    auto& copy = tensors_[t.unsafeGetTensorImpl()];
    if (copy.defined()) return copy;
    at::NoGradGuard no_grad;
    if (t.layout() == at::kStrided && t.has_storage() && !t.is_quantized() && !is_subclass(t)) {
      copy = at::empty({0}, t.options().device(device_.value_or(t.device()))).set_(storage_of(t), t.storage_offset(), t.sizes(), t.strides());
      copy._set_conj(t.is_conj());
      copy._set_neg(t.is_neg());
    } else {
      copy = device_ ? t.detach().to(*device_) : t.detach().clone();
    }
    if (t.requires_grad()) copy.set_requires_grad(true);
    return copy;
  }

  // Those of Python and of torch.func: their data is not in a storage of theirs.
  static bool is_subclass(const at::Tensor& t) {
    constexpr c10::DispatchKeySet wrappers{c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                           c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize};
    return t.key_set().has_any(wrappers);
  }

  at::Storage storage_of(const at::Tensor& t) {
    auto& copy = storages_[t.storage().unsafeGetStorageImpl()];
    if (!copy) {
      auto size = static_cast<int64_t>(t.storage().nbytes());
      auto bytes = at::empty({0}, t.options().dtype(at::kByte)).set_(t.storage(), 0, {size}, {1});
      copy = (device_ ? bytes.to(*device_) : bytes.clone()).storage();
    }
    return copy;
  }

  IValue copied(const c10::impl::GenericDict& from) {
    c10::impl::GenericDict dict(from.keyType(), from.valueType());
    for (const auto& entry : from) dict.insert(entry.key(), (*this)(entry.value()));
    return dict;
  }

  Given given_;
  std::optional<c10::Device> device_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> tensors_;
  std::unordered_map<const c10::StorageImpl*, at::Storage> storages_;
};

// Reads the state of one version.
struct StateReader {
  Target target; // takes the object and then the entries
  std::vector<std::string> names;
  std::vector<at::TypePtr> types;
};

// Whether the state is a flattened one, with which tracing makes an object of fakes: `(("#flat", …), (name, value), …)`.
inline bool is_flat(const Stack& stack) {
  if (stack.empty() || !stack.back().isTuple()) return false;
  const auto& elements = stack.back().toTupleRef().elements();
  if (elements.empty() || !elements[0].isTuple() || elements[0].toTupleRef().elements().empty()) return false;
  const auto& name = elements[0].toTupleRef().elements()[0];
  return name.isString() && name.toStringRef() == "#flat";
}

inline void set_flat(const StateReader& reader, Stack& stack) {
  auto state = torch::jit::pop(stack).toTuple();
  TORCH_CHECK_VALUE(state->elements().size() == reader.names.size() + 1, reader.target.name, ": expected ", reader.names.size(),
                    " entries, got ", state->elements().size() - 1);
  for (size_t i = 0; i < reader.names.size(); i++) {
    auto entry = state->elements()[i + 1];
    TORCH_CHECK_VALUE(entry.isTuple() && entry.toTupleRef().elements().size() == 2, reader.target.name, ": entry ", i, " is no pair");
    stack.push_back(typed_value(entry.toTupleRef().elements()[1], *reader.types[i]));
  }
  run(reader.target, stack, Unchecked());
  stack.emplace_back();
}

// A class's way to be pickled.
class Pickled {
 public:
  Pickled(std::string name, Target save, uint32_t version, const std::vector<std::string>& names)
      : name_(std::move(name)), save_(std::move(save)), version_(version), names_(names) {}

  void add(uint32_t version, StateReader reader) { readers_.insert_or_assign(version, std::move(reader)); }

  void get(Stack& stack) const {
    run(save_, stack, Unchecked());
    std::vector<IValue> pairs;
    if (version_ != 1) pairs.emplace_back(c10::ivalue::Tuple::create({IValue(VERSION), IValue(int64_t{version_})}));
    const size_t first = stack.size() - names_.size();
    for (size_t i = 0; i < names_.size(); i++) {
      pairs.emplace_back(c10::ivalue::Tuple::create({IValue(names_[i]), plain_value(stack[first + i])}));
    }
    torch::jit::drop(stack, names_.size());
    stack.emplace_back(c10::ivalue::Tuple::create(std::move(pairs)));
    Given::remember(stack.back());
  }

  void set(Stack& stack) const {
    TORCH_CHECK_TYPE(stack.size() >= 2 && stack.back().isTuple(), name_, ".__setstate__: expected the tuple that __getstate__ gave");
    auto state = torch::jit::pop(stack).toTuple();
    auto entries = entries_of(*state);
    int64_t version = 1;
    if (auto found = entries.find(VERSION); found != entries.end()) {
      TORCH_CHECK_TYPE(found->second.isInt(), name_, ".__setstate__: the state's version is no int");
      version = found->second.toInt();
      entries.erase(found);
    }
    const StateReader& reader = reader_of(version);
    Copies copies(Given::take());
    for (size_t i = 0; i < reader.names.size(); i++) {
      auto found = entries.find(reader.names[i]);
      TORCH_CHECK_VALUE(found != entries.end(), name_, ".__setstate__: found no `", reader.names[i], "` in a state of version ",
                        version, advice(version));
      stack.push_back(typed_value(copies(found->second), *reader.types[i]));
      entries.erase(found);
    }
    // The function that reads an older version says what it wants of it.
    TORCH_CHECK_VALUE(version != version_ || entries.empty(), name_, ".__setstate__: found `", entries.begin()->first,
                      "` in a state of version ", version, ", which the class has not", advice(version));
    run(reader.target, stack, Unchecked());
    stack.emplace_back();
  }

 private:
  static constexpr const char* VERSION = "#version";

  std::unordered_map<std::string, IValue> entries_of(const c10::ivalue::Tuple& state) const {
    std::unordered_map<std::string, IValue> entries;
    for (const IValue& entry : state.elements()) {
      bool pair = entry.isTuple() && entry.toTupleRef().elements().size() == 2 && entry.toTupleRef().elements()[0].isString();
      TORCH_CHECK_VALUE(pair, name_, ".__setstate__: expected a tuple of (name, value) pairs, got ", entry.tagKind(), " in it");
      const auto& parts = entry.toTupleRef().elements();
      entries.insert_or_assign(parts[0].toStringRef(), parts[1]);
    }
    return entries;
  }

  const StateReader& reader_of(int64_t version) const {
    auto found = readers_.find(static_cast<uint32_t>(version));
    if (found != readers_.end() && version == found->first) return found->second;
    TORCH_CHECK_VALUE(version <= version_, name_, ".__setstate__: found a state of version ", version,
                      ", newer than the class's version ", version_, ": load a newer library");
    TORCH_CHECK_VALUE(false, name_, ".__setstate__: found a state of version ", version, ", the class has version ", version_,
                      ": write `#[upgrade(", version, ")] fn …` in its `#[torch_class]` impl block, with the entries of that state as arguments");
  }

  std::string advice(int64_t version) const {
    if (version != version_) return c10::str(", which its `#[upgrade(", version, ")]` takes");
    return c10::str("; if the class has changed, give it `#[torch_class(…, version = ", version_ + 1,
                    ")]` and read the older state by a function marked `#[upgrade(", version_, ")]`");
  }

  std::string name_;
  Target save_;
  uint32_t version_;
  std::vector<std::string> names_;
  std::unordered_map<uint32_t, StateReader> readers_;
};

} // namespace torchop
