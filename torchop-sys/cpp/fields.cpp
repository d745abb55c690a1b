// Where a tensor's plain metadata lie, so that Rust reads them as C++ does: without a call. A translation unit of its own.
//
// Taken from a tensor of torch's class and compared with what torch says of it; if anything is not as expected, `known` stays 0
// and Rust asks the bridge.
#include <c10/core/TensorImpl.h>

#include <array>
#include <cstring>

namespace torchop {

// `Fields` in torchop-sys: offsets from the tensor's address, in bytes.
struct Fields {
  uint32_t known; // 0: nothing is
  uint32_t rank, sizes, strides, numel, offset, dtype;
  uint32_t custom_at, contiguous_at;
  uint8_t custom, contiguous; // bits: somebody else has to say; contiguous
};

namespace {

constexpr int64_t kSizes[] = {2, 3}, kStrides[] = {7, 11}, kOffset = 5, kNumel = 6;

class Probe final : public c10::TensorImpl {
 public:
  Probe() : TensorImpl(c10::DispatchKeySet(c10::DispatchKey::Meta), caffe2::TypeMeta::fromScalarType(c10::kDouble), c10::Device(c10::kMeta)) {
    set_sizes_and_strides(kSizes, kStrides, kOffset);
  }

  Fields fields() {
    Fields found{};
    found.rank = at(&sizes_and_strides_);
    found.sizes = at(sizes_and_strides_.sizes_data());
    found.strides = at(sizes_and_strides_.strides_data());
    found.numel = at(&numel_);
    found.offset = at(&storage_offset_);
    found.dtype = at(&data_type_);
    sizes_strides_policy_ = 0;
    found.custom = bits(found.custom_at, [&] { sizes_strides_policy_ = 3; }, [&] { sizes_strides_policy_ = 0; });
    is_contiguous_ = false;
    found.contiguous = bits(found.contiguous_at, [&] { is_contiguous_ = true; }, [&] { is_contiguous_ = false; });
    bool right = found.custom != 0 && found.contiguous != 0 && read<size_t>(found.rank) == 2 && same(found.sizes, kSizes) && same(found.strides, kStrides) &&
        found.strides == found.sizes + C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE * sizeof(int64_t) && read<int64_t>(found.numel) == kNumel &&
        read<int64_t>(found.offset) == kOffset && read<uint16_t>(found.dtype) == static_cast<uint16_t>(c10::kDouble);
    found.known = right;
    return found;
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
  template <class Set, class Clear> uint8_t bits(uint32_t& byte, Set set, Clear clear) {
    constexpr size_t size = sizeof(c10::TensorImpl);
    std::array<unsigned char, size> before, after;
    std::memcpy(before.data(), self(), size);
    set();
    std::memcpy(after.data(), self(), size);
    clear();
    uint8_t found = 0;
    for (size_t i = 0; i < size; i++) {
      if (before[i] == after[i]) continue;
      if (found != 0) return 0;
      byte = static_cast<uint32_t>(i);
      found = before[i] ^ after[i];
    }
    return found;
  }
};

Fields fields() {
  static_assert(sizeof(caffe2::TypeMeta) == sizeof(uint16_t) && C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE == 5);
  Probe probe;
  return probe.fields();
}

} // namespace

// Before any other function that runs when the library is loaded. A symbol may have the same name in another library: it is hidden.
extern "C" __attribute__((visibility("hidden"), init_priority(101))) const Fields torchop_fields = fields();

} // namespace torchop
