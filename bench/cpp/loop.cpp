// Calls one operator or method many times from C++, boxed: what inductor's packages and the interpreter do. For ctypes.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/class_type.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function.h>
#include <ATen/core/stack.h>
#include <ATen/ops/ones.h>
#include <torch/custom_class.h>

#include <chrono>
#include <cstdio>

namespace {

using c10::IValue;
using torch::jit::Stack;

IValue value_of(const c10::TypePtr& type);

// Three elements of that type.
IValue list_of(const c10::TypePtr& element) {
  c10::impl::GenericList list(element);
  for (int i = 0; i < 3; i++) list.push_back(value_of(element));
  return list;
}

IValue dict_of(const c10::DictType& type) {
  c10::impl::GenericDict dict(type.getKeyType(), type.getValueType());
  dict.insert(value_of(type.getKeyType()), value_of(type.getValueType()));
  return dict;
}

// A fixed value for each type that the operators have.
IValue value_of(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType: return at::ones({4});
    case c10::TypeKind::FloatType: return 1.5;
    case c10::TypeKind::NumberType: return 1.5;
    case c10::TypeKind::IntType: case c10::TypeKind::SymIntType: return int64_t{7};
    case c10::TypeKind::ScalarTypeType: return static_cast<int64_t>(at::kFloat);
    case c10::TypeKind::LayoutType: return static_cast<int64_t>(at::kStrided);
    case c10::TypeKind::MemoryFormatType: return static_cast<int64_t>(at::MemoryFormat::Contiguous);
    case c10::TypeKind::BoolType: return true;
    case c10::TypeKind::ComplexType: return c10::complex<double>(1, 2);
    case c10::TypeKind::StringType: return "a text of more than fifteen letters";
    case c10::TypeKind::DeviceObjType: return at::Device(at::kCPU);
    case c10::TypeKind::GeneratorType: return at::detail::getDefaultCPUGenerator();
    case c10::TypeKind::OptionalType: return value_of(type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType: return list_of(type->expectRef<c10::ListType>().getElementType());
    case c10::TypeKind::DictType: return dict_of(type->expectRef<c10::DictType>());
    default: TORCH_CHECK(false, "the loop has no argument of type ", type->repr_str());
  }
}

// `skip` arguments are left out.
std::vector<IValue> make_arguments(const c10::FunctionSchema& schema, size_t skip) {
  std::vector<IValue> arguments;
  for (size_t i = skip; i < schema.arguments().size(); i++) arguments.push_back(value_of(schema.arguments()[i].real_type()));
  return arguments;
}

// A list or dictionary of its own for each call, as a caller in Python passes it.
IValue passed(const IValue& argument) {
  if (argument.isList()) return argument.toList().copy();
  if (argument.isGenericDict()) return argument.toGenericDict().copy();
  return argument;
}

template <class Call>
double time(const std::vector<IValue>& arguments, int64_t calls, Call call) {
  Stack stack;
  stack.reserve(arguments.size() + 1);
  auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; i++) {
    for (const IValue& argument : arguments) stack.push_back(passed(argument));
    call(stack);
    stack.clear();
  }
  std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(calls);
}

template <class Work>
double guarded(Work work) noexcept {
  try {
    return work();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return -1;
  }
}

} // namespace

// Nanoseconds per call of the operator; negative after an error.
extern "C" double bench_op(const char* name, int64_t calls) {
  return guarded([&] {
    auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
    return time(make_arguments(op.schema(), 0), calls, [&](Stack& stack) { op.callBoxed(stack); });
  });
}

// Nanoseconds per call of the method; its object is made from one number.
extern "C" double bench_method(const char* class_name, const char* method_name, int64_t calls) {
  return guarded([&] {
    auto type = torch::getCustomClass(class_name);
    TORCH_CHECK(type, "no class ", class_name);
    IValue object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
    Stack made{object, IValue(int64_t{7})};
    type->getMethod("__init__").run(made);
    auto& method = type->getMethod(method_name);
    auto arguments = make_arguments(method.getSchema(), 1);
    arguments.insert(arguments.begin(), object);
    return time(arguments, calls, [&](Stack& stack) { method.run(stack); });
  });
}
