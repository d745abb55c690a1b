// Rust structs as torch's script classes, without a C++ type for each.
#pragma once

#include "kernels.h"
#include "numbers.h"
#include "state.h"

#include <ATen/core/builtin_function.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/custom_class.h>

#include <cstring>
#include <map>
#include <typeinfo>
#include <utility>

namespace torchop {

// A Rust value that is to be moved into an object, bit by bit as Rust moves values. Dropped here if nobody took it.
struct Moving {
  ~Moving() {
    if (value) drop(value);
  }
  uint8_t* value;
  size_t size;
  size_t alignment;
  DropFn drop;
};

// The one C++ class behind all Rust objects. The value lies behind it, in the same piece of memory.
class RustObject final : public torch::CustomClassHolder {
 public:
  // `identity` is the address of the class's definition: unique in the process.
  static c10::intrusive_ptr<RustObject> holding(Moving moving, const uint8_t* identity) {
    return c10::intrusive_ptr<RustObject>::unsafe_steal_from_new(new (Room{moving.size + moving.alignment}) RustObject(moving, identity));
  }
  ~RustObject() override { drop_(object); }

  static void operator delete(void* memory) noexcept { ::operator delete(memory); }

  uint8_t* const object;
  const uint8_t* const identity;

 private:
  struct Room {
    size_t bytes;
  };
  static void* operator new(size_t size, Room room) { return ::operator new(size + room.bytes); }
  static void operator delete(void* memory, Room) noexcept { ::operator delete(memory); }

  RustObject(Moving& moving, const uint8_t* identity)
      : object(aligned(reinterpret_cast<uint8_t*>(this + 1), moving.alignment)), identity(identity), drop_(moving.drop) {
    std::memcpy(object, std::exchange(moving.value, nullptr), moving.size);
  }

  static uint8_t* aligned(uint8_t* address, size_t alignment) {
    const auto bits = reinterpret_cast<uintptr_t>(address);
    return address + ((alignment - bits % alignment) % alignment);
  }

  const DropFn drop_;
};

inline std::string qualified(const std::string& name) {
  // `ns::Name` becomes `__torch__.torch.classes.ns.Name`.
  auto colons = name.find("::");
  return "__torch__.torch.classes." + name.substr(0, colons) + "." + name.substr(colons + 2);
}

inline bool same_memory(const at::Tensor& a, const at::Tensor& b) {
  return a.is_same(b) || (a.has_storage() && b.has_storage() && a.storage().is_alias_of(b.storage()));
}

// Methods run with autograd above them, which keeps results and their bases: reference counts alone do not tell. So where
// they are in doubt, memory is compared with that of the arguments and of the object's state.
struct NotOwn {
  const std::optional<Target>& state;
  // Where the arguments begin that are not the object: 0 for a static method.
  size_t first = 1;

  void operator()(const Target& target, const IValue* arguments, const IValue& result, size_t index) const {
    each_tensor_in(result, [&](const at::Tensor& t) {
      if (C10_UNLIKELY(is_held_elsewhere(t)) && is_own(target, arguments, t)) raise_alias(target, index);
    });
  }

 private:
  C10_NOINLINE bool is_own(const Target& target, const IValue* arguments, const at::Tensor& t) const {
    bool found = false;
    auto compare = [&](const at::Tensor& other) { found |= same_memory(t, other); };
    for (size_t i = first; i < target.arguments; i++) each_tensor_in(arguments[i], compare);
    if (found || !state || first == 0) return found;
    ResultBuffer fields(state->results);
    if (Failure* failure = state->function(state->context, arguments, 1, fields.data(), state->results)) raise(failure);
    for (size_t i = 0; i < state->results; i++) each_tensor_in(fields.data()[i], compare);
    return found;
  }
};

// In the order of `MethodKind::torch` in torchop-runtime.
enum class MethodKind : uint8_t { method, getter, setter, static_method };

class Class {
 public:
  // Adopts a type of this name that a failed load has left empty.
  Class(const std::string& name, const std::string& doc) : name_(name) {
    if (auto existing = torch::getCustomClass(qualified(name))) {
      type_ = existing;
      return;
    }
    type_ = c10::ClassType::create(c10::QualifiedName(qualified(name)), std::weak_ptr<torch::jit::CompilationUnit>(),
                                   /*is_module=*/false, doc);
    type_->addAttribute("capsule", c10::CapsuleType::get());
    torch::registerCustomClass(type_);
  }

  // `schema` has torch's form, with `self` first unless the method is static. Getters and setters are those of `property`.
  void method(rust::Str schema, Target target, rust::Str doc, MethodKind kind, rust::Str property) {
    auto parsed = torch::jit::parseSchema(std::string(schema), /*allow_typevars=*/true);
    const bool shows_state = kind == MethodKind::getter; // a property's value may be the state itself
    const size_t first = kind == MethodKind::static_method ? 0 : 1;
    auto* function = function_of(std::move(parsed), [target = std::move(target), own = own_, shows_state, first](Stack& stack) {
      if (shows_state) {
        run(target, stack, Unchecked());
      } else {
        run(target, stack, NotOwn{*own, first});
      }
      one_value(stack, target.results);
    }, doc);
    switch (kind) {
      case MethodKind::getter: properties_[std::string(property)].getter = function; break;
      case MethodKind::setter: properties_[std::string(property)].setter = function; break;
      case MethodKind::static_method: statics_.push_back(function); return;
      case MethodKind::method: break;
    }
    type_->addMethod(function);
  }

  // `to` as the negation of the method `from`: Python's `!=` does not fall back on `__eq__` for torch's objects.
  void negation(const std::string& from, const std::string& to) {
    auto* positive = type_->findMethod(from);
    TORCH_CHECK(positive, "no method ", from);
    auto negated = [positive](Stack& stack) {
      positive->run(stack);
      stack.back() = IValue(!stack.back().toBool());
    };
    type_->addMethod(function_of(positive->getSchema().cloneWithName(to, ""), std::move(negated), ""));
  }

  // Tracing sees an object as `((name, value), …)`.
  // `restore` makes an object of such entries; `__setstate__` takes them after an entry `#flat`.
  void flatten(Target save, StateReader restore, std::vector<std::string> names, const std::vector<std::string>& types) {
    *flat_ = std::move(restore);
    std::string type;
    for (size_t i = 0; i < names.size(); i++) type += (i ? ", (str, " : "(str, ") + types[i] + ")";
    type += std::string(names.empty() ? "" : ", ") + "(str, str)";
    auto schema = "__obj_flatten__(" + self() + ") -> ((" + type + "))";
    if (!*own_) *own_ = save;
    add(torch::jit::parseSchema(schema, true), [names = std::move(names), save = std::move(save)](Stack& stack) {
      run(save, stack, Unchecked());
      std::vector<IValue> pairs;
      const size_t first = stack.size() - names.size();
      for (size_t i = 0; i < names.size(); i++) {
        pairs.emplace_back(c10::ivalue::Tuple::create({IValue(names[i]), std::move(stack[first + i])}));
      }
      torch::jit::drop(stack, names.size());
      pairs.push_back(numbers_entry(pairs));
      stack.emplace_back(c10::ivalue::Tuple::create(std::move(pairs)));
    });
  }

  // `readers` must have one for `version`. The state may be that of an older version, so torch does not look at its type.
  void pickle(Target save, uint32_t version, const std::vector<std::string>& names) {
    if (!*own_) *own_ = save;
    pickled_ = std::make_shared<Pickled>(name_, std::move(save), version, names);
    add_pickle([pickled = pickled_](Stack& stack) { pickled->get(stack); },
               [pickled = pickled_](Stack& stack) { pickled->set(stack); });
  }

  void reader(uint32_t version, StateReader reader) { pickled_->add(version, std::move(reader)); }

  // `to(device)`: an object whose tensors are there. Those that were there already are shared.
  void move_to(Target save, StateReader restore) {
    auto schema = "to(" + self() + ", Device device) -> " + qualified(name_);
    add(torch::jit::parseSchema(schema, true), [type = type_, save = std::move(save), restore = std::move(restore)](Stack& stack) {
      TORCH_CHECK_TYPE(stack.size() >= 2 && stack.back().isDevice(), save.name, ": expected a device");
      Copies copies(torch::jit::pop(stack).toDevice());
      run(save, stack, Unchecked());
      const size_t first = stack.size() - restore.names.size();
      IValue object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
      stack.insert(stack.begin() + static_cast<int64_t>(first), object);
      for (size_t i = first + 1; i < stack.size(); i++) stack[i] = copies(stack[i]);
      run(restore.target, stack, Unchecked());
      stack.push_back(std::move(object));
    }, "The object with its tensors on `device`; those that are there already are shared.");
  }

  // A class that is not pickled says how it would be.
  void no_pickle(std::string message) {
    auto refuse = [message = std::move(message)](Stack&) { TORCH_CHECK(false, message); };
    add_pickle(refuse, refuse);
  }

  // The last step of a load: torch can take methods back, but no properties and no static methods.
  void finish() {
    for (const auto& [name, property] : properties_) type_->addProperty(name, property.getter, property.setter);
    for (auto* function : statics_) type_->addStaticMethod(function);
    properties_.clear();
    statics_.clear();
  }

  // Takes the methods back. The type itself stays; torch has no way to remove it.
  void strip() {
    std::vector<std::string> names;
    for (auto* method : type_->methods()) names.push_back(method->name());
    for (const auto& name : names) type_->unsafeRemoveMethod(name);
  }

 private:
  std::string self() const { return qualified(name_) + " self"; }

  void add_pickle(std::function<void(Stack&)> get, std::function<void(Stack&)> set) {
    add(torch::jit::parseSchema("__getstate__(" + self() + ") -> Any", true), std::move(get));
    auto set_either = [flat = flat_, set = std::move(set)](Stack& stack) {
      if (*flat && is_flat(stack)) {
        set_flat(**flat, stack);
      } else {
        set(stack);
      }
    };
    add(torch::jit::parseSchema("__setstate__(" + self() + ", Any state) -> NoneType _0", true), set_either);
  }

  // Script methods return exactly one value: None for none, a tuple for several.
  static void one_value(Stack& stack, size_t results) {
    if (results == 1) return;
    if (results == 0) {
      stack.emplace_back();
      return;
    }
    std::vector<IValue> values(std::make_move_iterator(stack.end() - static_cast<int64_t>(results)),
                               std::make_move_iterator(stack.end()));
    torch::jit::drop(stack, results);
    stack.emplace_back(c10::ivalue::Tuple::create(std::move(values)));
  }

  // Owned by torch before the type points to it.
  torch::jit::Function* function_of(c10::FunctionSchema parsed, std::function<void(Stack&)> call, rust::Str doc) {
    c10::QualifiedName name(*type_->name(), parsed.name());
    auto function = std::make_unique<torch::jit::BuiltinOpFunction>(std::move(name), std::move(parsed), std::move(call), std::string(doc));
    auto* pointer = function.get();
    torch::registerCustomClassMethod(std::move(function));
    return pointer;
  }

  void add(c10::FunctionSchema parsed, std::function<void(Stack&)> call, rust::Str doc = "") {
    type_->addMethod(function_of(std::move(parsed), std::move(call), doc));
  }

  struct Property {
    torch::jit::Function* getter = nullptr;
    torch::jit::Function* setter = nullptr;
  };

  std::string name_;
  c10::ClassTypePtr type_;
  std::map<std::string, Property> properties_;
  std::vector<torch::jit::Function*> statics_;
  std::shared_ptr<Pickled> pickled_;
  std::shared_ptr<std::optional<StateReader>> flat_ = std::make_shared<std::optional<StateReader>>();
  // Gives the object's state, if there is a way to.
  std::shared_ptr<std::optional<Target>> own_ = std::make_shared<std::optional<Target>>();
};

// Where a class of this name is defined already; empty if it is not, or if a failed load left it without methods.
inline std::unique_ptr<std::string> class_origin(rust::Str name) {
  auto type = torch::getCustomClass(qualified(std::string(name)));
  if (!type || type->methods().empty()) return std::make_unique<std::string>();
  return std::make_unique<std::string>(type->doc_string().empty() ? "a library without torchop" : type->doc_string());
}

inline std::unique_ptr<Class> class_new(rust::Str name, rust::Str doc) {
  return std::make_unique<Class>(std::string(name), std::string(doc));
}

inline void class_method(Class& self, rust::Str schema, KernelFn function, const uint8_t* context, uint32_t arguments,
                         uint32_t results, rust::Str name, rust::Str doc, uint8_t kind, rust::Str property) {
  Target target{function, context, arguments, results, view(name)};
  self.method(schema, std::move(target), doc, static_cast<MethodKind>(kind), property);
}

inline void class_negation(Class& self, rust::Str from, rust::Str to) { self.negation(std::string(from), std::string(to)); }

inline std::vector<std::string> strings(rust::Slice<const rust::Str> texts) {
  std::vector<std::string> out;
  for (auto text : texts) out.emplace_back(text);
  return out;
}

inline StateReader state_reader(rust::Str name, KernelFn function, const uint8_t* restore,
                                rust::Slice<const rust::Str> names, rust::Slice<const rust::Str> types) {
  StateReader reader{Target{function, restore, static_cast<uint32_t>(names.size()) + 1, 0, view(name)}, strings(names), {}};
  for (auto type : types) reader.types.push_back(parsed_type(type));
  return reader;
}

inline void class_flatten(Class& self, rust::Str name, KernelFn function, const uint8_t* save, const uint8_t* restore,
                          rust::Slice<const rust::Str> names, rust::Slice<const rust::Str> types) {
  Target target{function, save, 1, static_cast<uint32_t>(names.size()), view(name)};
  self.flatten(std::move(target), state_reader(name, function, restore, names, types), strings(names), strings(types));
}

inline void class_pickle(Class& self, rust::Str name, KernelFn function, const uint8_t* save, uint32_t version,
                         rust::Slice<const rust::Str> names) {
  self.pickle(Target{function, save, 1, static_cast<uint32_t>(names.size()), view(name)}, version, strings(names));
}

inline void class_state_reader(Class& self, rust::Str name, uint32_t version, KernelFn function, const uint8_t* restore,
                               rust::Slice<const rust::Str> names, rust::Slice<const rust::Str> types) {
  self.reader(version, state_reader(name, function, restore, names, types));
}

inline void class_move_to(Class& self, rust::Str name, KernelFn function, const uint8_t* save, const uint8_t* restore,
                          rust::Slice<const rust::Str> names, rust::Slice<const rust::Str> types) {
  Target target{function, save, 1, static_cast<uint32_t>(names.size()), view(name)};
  self.move_to(std::move(target), state_reader(name, function, restore, names, types));
}

inline void class_no_pickle(Class& self, rust::Str message) { self.no_pickle(std::string(message)); }

inline void class_finish(Class& self) { self.finish(); }

inline void class_strip(Class& self) { self.strip(); }

// The Rust object in a value, or null with a reason in `problem`: 1 not an object, 2 not initialised, 3 of another class.
inline const uint8_t* object_get(const RawValue* value, const uint8_t* identity, uint8_t& problem) noexcept {
  if (!value->isObject()) {
    problem = 1;
    return nullptr;
  }
  const auto& object = value->toObjectRef();
  if (object.slots().empty() || !object.slots()[0].isCapsule()) {
    problem = 2;
    return nullptr;
  }
  // Borrowed: the value keeps the object, the object its slot.
  const auto* holder = static_cast<const c10::intrusive_ptr_target*>(object.slots()[0].internalToPointer());
  if (typeid(*holder) != typeid(RustObject) || static_cast<const RustObject*>(holder)->identity != identity) {
    problem = 3;
    return nullptr;
  }
  return static_cast<const RustObject*>(holder)->object;
}

// Puts a Rust object into a script object that has none yet. One that has is left alone: a method may be running on what it
// has, on this thread or another. Moves the object out of `object`, also on failure.
inline void object_set(const RawValue* self, uint8_t* object, size_t size, size_t alignment, DropFn drop,
                       const uint8_t* identity) {
  auto holder = RustObject::holding({object, size, alignment, drop}, identity);
  TORCH_CHECK_TYPE(self->isObject(), "a constructor was called on a value that is no object");
  // The stack keeps it, and what it is to us may be written.
  auto& script_object = const_cast<c10::ivalue::Object&>(self->toObjectRef());
  TORCH_CHECK(script_object.slots().empty() || script_object.slots()[0].isNone(),
              script_object.type()->name()->qualifiedName(), ": the object is initialised already");
  script_object.setSlot(0, IValue::make_capsule(std::move(holder)));
}

// A new script object around a Rust object, of the class `name` in torch's schema language. Moves it out of
// `object`, also on failure.
inline void object_new(RawValue* to, rust::Str name, uint8_t* object, size_t size, size_t alignment, DropFn drop,
                       const uint8_t* identity) {
  auto holder = RustObject::holding({object, size, alignment, drop}, identity);
  auto type = torch::getCustomClass(std::string(name));
  TORCH_CHECK(type, std::string(name), ": the class is not registered with torch (yet)");
  auto script_object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, std::move(type)), 1);
  script_object->setSlot(0, IValue::make_capsule(std::move(holder)));
  *to = IValue(std::move(script_object));
}

// Another reference to the same.
inline void value_copy(RawValue* to, const RawValue* from) noexcept { *to = *from; }

} // namespace torchop
