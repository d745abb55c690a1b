// Where a tensor's plain metadata lie, so that Rust reads them as C++ does: without a call, at an offset that is a constant.
//
// `fields_probe.cpp` prints the offsets when the bridge is built; `fields.cpp` compares them with a live tensor when the library is loaded.
#pragma once

#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <array>
#include <cstring>

namespace torchop {

// Private members, named where C++ allows it: in an explicit instantiation.
using AutogradMember = std::unique_ptr<c10::AutogradMetaInterface> c10::TensorImpl::*;
using ResizableMember = bool c10::StorageImpl::*;
AutogradMember autograd_member();
ResizableMember resizable_member();
template <AutogradMember Autograd, ResizableMember Resizable> struct Named {
  friend AutogradMember autograd_member() { return Autograd; }
  friend ResizableMember resizable_member() { return Resizable; }
};
template struct Named<&c10::TensorImpl::autograd_meta_, &c10::StorageImpl::resizable_>;

// Where a storage says whether torch may resize it, from its address, in bytes. Only the place is computed: it may be mere memory.
inline uint32_t resizable_at(const c10::StorageImpl* storage) {
  return static_cast<uint32_t>(reinterpret_cast<const char*>(&(storage->*resizable_member())) - reinterpret_cast<const char*>(storage));
}

// Whether a live storage says it there.
inline bool resizable_holds(uint32_t offset) {
  c10::StorageImpl storage(c10::StorageImpl::use_byte_size_t(), 0, c10::DataPtr(), c10::GetCPUAllocator(), true);
  const auto* flag = reinterpret_cast<const unsigned char*>(&storage) + offset;
  if (offset >= sizeof(storage) || *flag != 1) return false;
  storage.set_resizable(false);
  return *flag == 0;
}

// `Fields` in torchop-sys/src/fields.rs: offsets from the tensor's address, in bytes, and bits of the byte there.
struct Fields {
  uint32_t rank, sizes, strides, numel, offset, dtype, device, autograd;
  uint32_t custom_at, contiguous_at, device_given_at, device_custom_at;
  // Somebody else says sizes and strides; contiguous; there is a device; somebody else says it.
  uint32_t custom, contiguous, device_given, device_custom;
  // From the address of a storage.
  uint32_t resizable;
};

// A tensor without elements, which knows its own fields. Only its fields are touched: it may be mere memory.
class Probe final : public c10::TensorImpl {
 public:
  static constexpr int64_t kSizes[] = {2, 3}, kStrides[] = {7, 11}, kOffset = 5, kNumel = 6;

  Probe() : TensorImpl(c10::DispatchKeySet(c10::DispatchKey::Meta), caffe2::TypeMeta::fromScalarType(c10::kDouble), c10::Device(c10::kMeta)) {
    set_sizes_and_strides(kSizes, kStrides, kOffset);
  }

  // A mask of 0: not found.
  Fields fields() {
    static_assert(sizeof(caffe2::TypeMeta) == sizeof(uint16_t) && C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE == 5);
    static_assert(sizeof(c10::Device) == 2 && sizeof(std::unique_ptr<c10::AutogradMetaInterface>) == sizeof(void*));
    Fields found{};
    found.rank = at(&sizes_and_strides_);
    found.sizes = found.rank + sizeof(size_t);
    found.strides = found.sizes + C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE * sizeof(int64_t);
    found.numel = at(&numel_);
    found.offset = at(&storage_offset_);
    found.dtype = at(&data_type_);
    found.device = at(&device_opt_);
    found.autograd = at(&(static_cast<c10::TensorImpl*>(this)->*autograd_member()));
    alignas(c10::StorageImpl) static unsigned char storage[sizeof(c10::StorageImpl)];
    found.resizable = resizable_at(reinterpret_cast<const c10::StorageImpl*>(storage));
    found.custom = bits(found.custom_at, [&](bool on) { sizes_strides_policy_ = on ? 3 : 0; });
    found.contiguous = bits(found.contiguous_at, [&](bool on) { is_contiguous_ = on; });
    found.device_custom = bits(found.device_custom_at, [&](bool on) { device_policy_ = on; });
    device_opt_ = c10::Device(c10::kMeta);
    found.device_given = bits(found.device_given_at, [&](bool on) {
      if (on) {
        device_opt_ = c10::Device(c10::kMeta);
      } else {
        device_opt_.reset();
      }
    });
    return found;
  }

  // Whether the values of a live tensor lie where `fields` says.
  bool holds(const Fields& fields) const {
    return read<size_t>(fields.rank) == 2 && same(fields.sizes, kSizes) && same(fields.strides, kStrides) &&
        read<int64_t>(fields.numel) == kNumel && read<int64_t>(fields.offset) == kOffset &&
        read<uint16_t>(fields.dtype) == static_cast<uint16_t>(c10::kDouble) && read<int8_t>(fields.device) == static_cast<int8_t>(c10::kMeta) &&
        read<int8_t>(fields.device + 1) == c10::Device(c10::kMeta).index() && read<void*>(fields.autograd) == nullptr;
  }

 private:
  const char* self() const { return reinterpret_cast<const char*>(static_cast<const c10::TensorImpl*>(this)); }
  uint32_t at(const void* field) const { return static_cast<uint32_t>(static_cast<const char*>(field) - self()); }
  template <class T> T read(uint32_t offset) const {
    T value;
    std::memcpy(&value, self() + offset, sizeof(T));
    return value;
  }
  bool same(uint32_t offset, const int64_t (&values)[2]) const {
    return read<int64_t>(offset) == values[0] && read<int64_t>(offset + sizeof(int64_t)) == values[1];
  }
  // Which bits of which byte `set` sets; 0 if they do not lie in one byte.
  template <class Set> uint32_t bits(uint32_t& byte, Set set) {
    constexpr size_t size = sizeof(c10::TensorImpl);
    std::array<unsigned char, size> before, after;
    set(false);
    std::memcpy(before.data(), self(), size);
    set(true);
    std::memcpy(after.data(), self(), size);
    set(false);
    uint32_t found = 0;
    for (size_t i = 0; i < size; i++) {
      if (before[i] == after[i]) continue;
      if (found != 0) return 0;
      byte = static_cast<uint32_t>(i);
      found = before[i] ^ after[i];
    }
    return found;
  }
};

} // namespace torchop
