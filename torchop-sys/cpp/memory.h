// A tensor's memory: where it is and whether Rust may look at it.
#pragma once

#include "types.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/COW.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/library.h>

namespace torchop {

// Why the elements cannot be reached from the CPU. What is said then: torchop-runtime/src/tensor/access/explain.rs.
enum class Problem : uint8_t {
  None,
  Undefined,
  Symbolic,
  Device,
  Layout,
  Nested,
  Conjugated,
  Negated,
  Wrapper,
  RequiresGrad,
  NoData,
  OutOfBounds,
  Threw,
  Answers,
};

// Some torch versions have materializers beside copy-on-write; both replace the memory at the first write.
template <class Storage>
bool has_materializer(const Storage& storage) {
  if constexpr (requires { storage.has_materializer(); }) return storage.has_materializer();
  return false;
}

// Memory that is replaced at the first write is replaced now: nothing that happens later moves it.
inline void settle(c10::StorageImpl& storage) {
  const auto& data = storage.data_ptr();
  if (C10_UNLIKELY(data.get_context() != data.get()) || C10_UNLIKELY(has_materializer(storage))) {
    if (c10::impl::cow::is_cow_data_ptr(data) || has_materializer(storage)) storage.mutable_data();
  }
}

// How many bytes the storage has; -1 if that is a symbol. Not by `std::optional`: it is written in two parts and read as one, which the processor
// waits for.
inline int64_t storage_bytes(const c10::StorageImpl& storage) {
  const c10::SymInt bytes = storage.sym_nbytes();
  return C10_LIKELY(!bytes.is_heap_allocated()) ? bytes.as_int_unchecked() : bytes.maybe_as_int().value_or(-1);
}

// What the memory is wanted for: for an operator, tensors may also be lazily conjugated, or need gradients.
enum class Use : uint8_t { Read, Write, Operator };

// Whether somebody else says a tensor's sizes or strides: symbols, or a subclass in Python, which may answer as it likes, and whose answers lie in
// memory that its next answer is written to. Protected in torch.
struct Answers : c10::TensorImpl {
  static bool custom(const c10::TensorImpl* impl) { return (impl->*&Answers::matches_policy)(SizesStridesPolicy::CustomStrides); }
};

// A strided tensor of the CPU's, and nothing else: beside that key it has none but those that every tensor has, and it says its sizes itself.
inline bool is_plain(const c10::TensorImpl* impl) {
  constexpr c10::DispatchKeySet dense(c10::DispatchKey::CPU);
  constexpr c10::DispatchKeySet usual({c10::DispatchKey::ADInplaceOrView, c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutocastCPU});
  const auto keys = impl->key_set().raw_repr() & ~(usual.raw_repr() & ~dense.raw_repr());
  return keys == dense.raw_repr() && impl->unsafe_storage() && !Answers::custom(impl);
}

inline Problem problem_of(const at::Tensor& t, c10::TensorImpl* impl, Use use, bool plain) {
  if (C10_LIKELY(plain) && (use == Use::Operator || !impl->requires_grad())) return Problem::None;
  if (!t.defined()) return Problem::Undefined;
  const auto keys = impl->key_set();
  if (impl->device_type() != c10::DeviceType::CPU) return Problem::Device;
  if (C10_UNLIKELY(impl->is_nested())) return Problem::Nested;
  if (C10_UNLIKELY(impl->layout() != c10::kStrided)) return Problem::Layout;
  if (C10_UNLIKELY(keys.has(c10::DispatchKey::ZeroTensor))) return Problem::NoData;
  if (C10_UNLIKELY(!impl->has_storage())) return Problem::Wrapper;
  if (C10_UNLIKELY(impl->has_symbolic_sizes_strides())) return Problem::Symbolic;
  if (use == Use::Operator) return Problem::None;
  if (C10_UNLIKELY(Answers::custom(impl))) {
    auto* storage = impl->unsafe_storage().unsafeGetStorageImpl();
    return storage->_mutable_data_ptr_no_checks().get() == nullptr ? Problem::NoData : Problem::Answers;
  }
  if (C10_UNLIKELY(keys.has(c10::DispatchKey::Conjugate))) return Problem::Conjugated;
  if (C10_UNLIKELY(keys.has(c10::DispatchKey::Negative))) return Problem::Negated;
  // Outside kernels, what is done by hand is lost to autograd.
  if (C10_UNLIKELY(impl->requires_grad()) && c10::GradMode::is_enabled() &&
      !c10::impl::tls_local_dispatch_key_set().excluded_.has(c10::DispatchKey::AutogradFunctionality)) {
    return Problem::RequiresGrad;
  }
  return Problem::None;
}

// How many elements there are from the first to the last, with those in gaps; false if no number says it. None of the sizes is 0.
inline bool span(c10::IntArrayRef sizes, c10::IntArrayRef strides, size_t& count) {
  count = 1;
  bool fits = true;
  for (size_t d = 0; d < sizes.size(); d++) {
    size_t more = 0;
    fits &= strides[d] >= 0 && !__builtin_mul_overflow(static_cast<size_t>(sizes[d]) - 1, static_cast<size_t>(strides[d]), &more) &&
        !__builtin_add_overflow(count, more, &count);
  }
  return fits;
}

// Layout known to Rust: `TensorMemory` in torchop-sys.
struct TensorMemory {
  size_t data;
  size_t bytes;
  size_t storage;
  const int64_t* sizes;
  const int64_t* strides;
  size_t rank;
  int8_t dtype;
  uint8_t problem;
  bool contiguous;
  bool empty;
};

// Fills `found`: problem and dtype, and the rest if there is no problem; then one reference to the storage is the caller's.
inline void tensor_memory(const at::Tensor& t, uint8_t use, TensorMemory* found) {
  auto& m = *found;
  const bool writable = static_cast<Use>(use) == Use::Write;
  auto* impl = t.unsafeGetTensorImpl();
  const bool plain = is_plain(impl);
  m.problem = static_cast<uint8_t>(problem_of(t, impl, static_cast<Use>(use), plain));
  m.dtype = static_cast<int8_t>(t.scalar_type());
  if (m.problem != 0) return;
  auto* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  settle(*storage);
  const int64_t held = storage_bytes(*storage);
  auto* base = static_cast<const uint8_t*>(writable ? storage->mutable_data() : storage->data());
  size_t item, offset, count;
  bool fits = true;
  if (C10_LIKELY(plain) || !Answers::custom(impl)) {
    const auto sizes = impl->sizes();
    const auto strides = impl->strides();
    m.rank = sizes.size();
    m.sizes = sizes.data();
    m.strides = strides.data();
    m.contiguous = impl->is_contiguous(); // also without elements
    item = impl->dtype().itemsize();
    offset = static_cast<size_t>(impl->storage_offset());
    count = static_cast<size_t>(impl->numel());
    if (!m.contiguous) fits = span(sizes, strides, count);
  } else {
    // For an operator, which may reach all of the memory whatever the answers: as bytes.
    m.rank = 0;
    m.sizes = m.strides = nullptr;
    m.contiguous = true;
    item = 1;
    offset = 0;
    count = static_cast<size_t>(held);
  }
  m.empty = count == 0;
  if (m.empty) {
    m.data = 0;
    m.bytes = 0;
  } else {
    // The keys of a tensor may be those of another device than its memory's (`_make_subclass`).
    if (base == nullptr || held < 0 || storage->device_type() != c10::DeviceType::CPU) {
      m.problem = static_cast<uint8_t>(Problem::NoData);
      return;
    }
    size_t end = 0;
    fits = fits && !__builtin_add_overflow(count, offset, &end) && !__builtin_mul_overflow(end, item, &end);
    if (!fits || end > static_cast<size_t>(held)) {
      m.problem = static_cast<uint8_t>(Problem::OutOfBounds);
      return;
    }
    m.data = reinterpret_cast<size_t>(base) + offset * item;
    m.bytes = count * item;
  }
  // In a kernel the dispatcher has done so; and it has refused tensors of inference mode.
  if (writable && !c10::impl::tls_local_dispatch_key_set().excluded_.has(c10::DispatchKey::ADInplaceOrView)) {
    impl->bump_version();
  }
  c10::raw::intrusive_ptr::incref(storage);
  m.storage = reinterpret_cast<size_t>(storage);
}

// The same without exceptions: `Threw` says that the other form would throw.
// Everything inlined: it is in the price of each view.
__attribute__((flatten)) inline void tensor_memory_quick(const at::Tensor& t, uint8_t use, TensorMemory* found) noexcept {
  try {
    tensor_memory(t, use, found);
  } catch (...) {
    found->problem = static_cast<uint8_t>(Problem::Threw);
  }
}

// One reference to the storage, which is the caller's.
inline size_t storage_hold(const at::Tensor& t) {
  auto* storage = t.storage().unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(storage);
  return reinterpret_cast<size_t>(storage);
}

// Gives back the reference. May run whatever frees the memory.
__attribute__((flatten)) inline void storage_release(size_t storage) noexcept {
  c10::raw::intrusive_ptr::decref(reinterpret_cast<c10::StorageImpl*>(storage));
}

// Makes torch refuse to resize it; false if it refused before.
inline bool storage_pin(size_t storage) noexcept {
  auto* impl = reinterpret_cast<c10::StorageImpl*>(storage);
  if (!impl->resizable()) return false;
  impl->set_resizable(false);
  return true;
}

// Undoes `storage_pin`. Only a storage with an allocator was resizable, so this does not throw.
inline void storage_unpin(size_t storage) noexcept { reinterpret_cast<c10::StorageImpl*>(storage)->set_resizable(true); }

// One address for all libraries of this process that ask under this name: that of the first. It stands in the schema of an
// operator that is never called, so that it is there as soon as the name is.
inline size_t process_wide(rust::Str name, size_t own) {
  const c10::OperatorName full{"_torchop::" + std::string(name), ""};
  for (int attempt = 0;; attempt++) {
    if (auto found = c10::Dispatcher::singleton().findSchema(full)) {
      return static_cast<size_t>(found->schema().arguments().at(0).default_value()->toInt());
    }
    try {
      auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, "_torchop", std::nullopt, __FILE__, __LINE__);
      library->def(torch::jit::parseSchema("_torchop::" + std::string(name) + "(int address=" + std::to_string(own) + ") -> ()"));
      static auto* kept = library.release(); // for as long as the process lives
      static_cast<void>(kept);
      return own;
    } catch (const std::exception&) {
      if (attempt > 0) throw; // not because another thread was first
    }
  }
}

} // namespace torchop
