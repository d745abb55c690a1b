// Torch's values (c10::IValue) as Rust sees them: 16 bytes, a payload and a tag.
#pragma once

#include "types.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/bit_cast.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <array>
#include <cstring>
#include <unordered_map>

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

// Where two neighbouring words lie in the object of `size` bytes that a payload points to; 0 if they do not.
inline uint64_t place_of(const IValue& value, size_t size, const void* first, const void* second) {
  const uint64_t words[] = {reinterpret_cast<uint64_t>(first), reinterpret_cast<uint64_t>(second)};
  auto object = reinterpret_cast<const char*>(Bits(value).payload);
  for (size_t at = sizeof(void*); at + sizeof(words) <= size; at += sizeof(void*)) {
    if (std::memcmp(object + at, words, sizeof(words)) == 0) return at;
  }
  return 0;
}

inline uint64_t string_place(const char* text) {
  IValue value(text);
  const std::string& string = value.toStringRef();
  return place_of(value, sizeof(c10::ivalue::ConstantString), string.data(), reinterpret_cast<const void*>(string.size()));
}

inline uint64_t list_place(std::initializer_list<double> numbers) {
  IValue value{c10::List<double>(numbers)};
  auto elements = value.toListRef();
  return place_of(value, sizeof(c10::detail::ListImpl), elements.data(), elements.data() + elements.size());
}

// Learns the tag numbers from real values (the enum is private) and checks that payloads lie where Rust reads them.
// In the order of `Tags` in torchop-runtime: Tensor, float, int, bool, str, list, complex, Device, Generator; the payload of an
// undefined tensor; where data and length of a string lie, first and last of a list, the two parts of a complex number (0: ask).
inline std::array<uint64_t, 13> value_tags() {
  auto tensor = at::Tensor();
  auto check = [](bool right, const char* what) {
    TORCH_CHECK(right, "this torch lays out its values in a way that this build does not know: ", what);
  };
  const IValue none, floating(1.5), integer(int64_t{-7}), yes(true), no(false), undefined(tensor), string(""),
      list{c10::List<int64_t>()}, complex(c10::complex<double>(1.5, -2.5)), device(c10::Device(c10::kCUDA, 3)), generator{at::Generator()};
  check(Bits(floating).payload == c10::bit_cast<uint64_t>(1.5), "float");
  check(static_cast<int64_t>(Bits(integer).payload) == -7, "int");
  check((Bits(yes).payload & 0xff) == 1 && (Bits(no).payload & 0xff) == 0, "bool");
  check(Bits(undefined).payload == reinterpret_cast<uint64_t>(tensor.unsafeGetTensorImpl()), "Tensor");
  check(Bits(none).tag == 0 && Bits(none).payload == 0, "None");
  check((Bits(device).payload & 0xffff) == (static_cast<uint64_t>(c10::kCUDA) | 3 << 8), "Device");
  // A short string lies elsewhere than a long one, with most libraries.
  const auto in_string = string_place("short"), in_list = list_place({1});
  const auto real = c10::bit_cast<uint64_t>(1.5), imaginary = c10::bit_cast<uint64_t>(-2.5);
  return {Bits(undefined).tag, Bits(floating).tag, Bits(integer).tag, Bits(yes).tag, Bits(string).tag, Bits(list).tag,
          Bits(complex).tag, Bits(device).tag, Bits(generator).tag, Bits(undefined).payload,
          in_string == string_place("a text of more than fifteen letters") ? in_string : 0,
          in_list == list_place({1, 2, 3}) ? in_list : 0,
          place_of(complex, sizeof(c10::ivalue::ComplexHolder), reinterpret_cast<const void*>(real), reinterpret_cast<const void*>(imaginary))};
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

// Whether others have the same list or dictionary, so that they could write to it while it is read.
inline bool value_is_shared(const RawValue* value) noexcept { return value->use_count() > 1; }
// A copy of a list or dictionary, of the same elements.
inline void value_copy_container(const RawValue* value, RawValue* to) {
  if (value->isList()) *to = IValue(value->toList().copy());
  else *to = IValue(value->toGenericDict().copy());
}

// The elements of any list, in place.
inline const RawValue* value_list(const RawValue* value, size_t& length) {
  auto elements = value->toListRef();
  length = elements.size();
  return elements.data();
}

inline void value_put_string(RawValue* to, rust::Str text) { *to = IValue(std::string(text)); }

inline void value_put_sym_int(RawValue* to, c10::SymInt value) noexcept { *to = IValue(std::move(value)); }

// A type of torch's schema language; the parser has no entry for a type alone.
inline const at::TypePtr& parsed_type(rust::Str text) {
  static thread_local std::unordered_map<std::string, at::TypePtr> known;
  std::string key(text);
  auto& type = known[key];
  if (!type) type = torch::jit::parseSchema("_(" + key + " _) -> ()").arguments()[0].real_type();
  return type;
}

// A list of elements of the given type, which are moved out.
inline void value_put_list(RawValue* to, rust::Str element, RawValue* elements, size_t length) {
  c10::impl::GenericList list(parsed_type(element));
  list.reserve(length);
  for (size_t i = 0; i < length; i++) list.push_back(std::move(elements[i]));
  *to = IValue(std::move(list));
}

inline void value_put_tuple(RawValue* to, RawValue* elements, size_t length) {
  *to = c10::ivalue::Tuple::create(
      std::vector<IValue>(std::make_move_iterator(elements), std::make_move_iterator(elements + length)));
}

// The elements of a tuple, in place; null if it is none.
inline const RawValue* value_tuple(const RawValue* value, size_t& length) noexcept {
  if (!value->isTuple()) return nullptr;
  auto elements = value->toTupleRef().elements().asArrayRef();
  length = elements.size();
  return elements.data();
}

// A dictionary from keys and values, which are moved out. A key that comes twice keeps its last value.
inline void value_put_dict(RawValue* to, rust::Str key, rust::Str value, RawValue* keys, RawValue* values, size_t length) {
  c10::impl::GenericDict dict(parsed_type(key), parsed_type(value));
  dict.reserve(length);
  for (size_t i = 0; i < length; i++) dict.insert_or_assign(std::move(keys[i]), std::move(values[i]));
  *to = IValue(std::move(dict));
}

// The addresses of a dictionary's keys and values, in the order of insertion, as far as there is room for `room` entries.
// Gives the number of entries, or -1 if it is none.
inline int64_t value_dict(const RawValue* value, std::array<const RawValue*, 2>* entries, size_t room) noexcept {
  if (!value->isGenericDict()) return -1;
  const auto& dict = reinterpret_cast<const c10::detail::DictImpl*>(Bits(*value).payload)->dict;
  if (dict.size() <= room) {
    for (const auto& entry : dict) *entries++ = {&entry.first, &entry.second};
  }
  return static_cast<int64_t>(dict.size());
}

// Numbers that are no plain number: false if the value is none of the kind. Symbols become numbers as in torch's own operators.
inline bool value_float(const RawValue* value, double& out) {
  if (!value->isDouble() && !value->isSymFloat()) return false;
  out = value->toDouble();
  return true;
}
inline bool value_bool(const RawValue* value, bool& out) {
  if (!value->isBool() && !value->isSymBool()) return false;
  out = value->toBool();
  return true;
}
inline bool value_complex(const RawValue* value, std::array<double, 2>& out) {
  if (!value->isComplexDouble()) return false;
  auto number = value->toComplexDouble();
  out = {number.real(), number.imag()};
  return true;
}
inline void value_put_complex(RawValue* to, double real, double imaginary) {
  *to = IValue(c10::complex<double>(real, imaginary));
}

// Integers that are not negative: those too large for a signed one have a tag of their own.
inline bool value_uint(const RawValue* value, uint64_t& out) {
  if (!value->isUnsigned()) return false;
  out = value->toUInt();
  return true;
}
inline void value_put_uint(RawValue* to, uint64_t number) { *to = IValue(number); }

// Type and index, -1 for none.
inline void value_put_device(RawValue* to, int8_t type, int8_t index) {
  *to = IValue(c10::Device(static_cast<c10::DeviceType>(type), index));
}

// Identity, type of the device, its index. Torch takes any Python object for a stream and reads the stream from its memory
// unseen: what names a device that is not there, or a stream that the CPU cannot have, was none.
inline bool value_stream(const RawValue* value, std::array<int64_t, 3>& out) {
  if (!value->isStream()) return false;
  auto data = value->toStream().pack3();
  auto count = c10::impl::hasDeviceGuardImpl(data.device_type)
      ? c10::impl::getDeviceGuardImpl(data.device_type)->deviceCount() : c10::DeviceIndex(0);
  bool cpu = data.device_type == c10::DeviceType::CPU;
  TORCH_CHECK_TYPE(data.device_index >= (cpu ? -1 : 0) && data.device_index < count && (!cpu || data.stream_id == 0),
      "expected a torch.Stream, got another object, or a stream of a device that is not there; torch passes on any object");
  out = {data.stream_id, static_cast<int64_t>(data.device_type), data.device_index};
  return true;
}
inline void value_put_stream(RawValue* to, int64_t id, int8_t type, int8_t index) {
  *to = IValue(c10::Stream::unpack3(id, index, static_cast<c10::DeviceType>(type)));
}

// Null if it is none.
inline at::Generator value_generator(const RawValue* value) noexcept {
  return value->isGenerator() ? value->toGenerator() : at::Generator();
}
inline void value_put_generator(RawValue* to, at::Generator generator) noexcept { *to = IValue(std::move(generator)); }
inline at::Generator generator_clone_handle(const at::Generator& generator) noexcept { return generator; }
inline void generator_drop_handle(at::Generator* generator) noexcept { std::destroy_at(generator); }
// Torch's own for the CPU, which `torch.manual_seed` sets.
inline at::Generator generator_default_cpu() { return at::detail::getDefaultCPUGenerator(); }
// The next number of a generator on the CPU.
inline uint64_t generator_next(const at::Generator& generator) {
  TORCH_CHECK_VALUE(generator.device().is_cpu(), "expected a generator on the cpu, got one on ", generator.device());
  at::Generator same = generator;
  std::lock_guard<std::mutex> lock(same.mutex());
  return same.get<at::CPUGeneratorImpl>()->random64();
}
inline uint64_t generator_seed(const at::Generator& generator) { return generator.current_seed(); }
inline std::unique_ptr<std::string> generator_device(const at::Generator& generator) {
  return std::make_unique<std::string>(generator.device().str());
}

} // namespace torchop
