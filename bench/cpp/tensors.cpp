// What Rust's tensors are held against: metadata read in a loop, and a tensor's elements reached. For operators, so that both sides
// are called the same way; each runs its loop `turns` times.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {

// Keeps the compiler from taking a read out of the loop: somebody might have changed the tensor.
inline void changed() { asm volatile("" ::: "memory"); }

// Every size and stride by its index.
int64_t sizes_by_index(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    for (int64_t d = 0; d < x.dim(); d++) sum += x.size(d) + x.stride(d);
  }
  return sum;
}

// All sizes and strides at once.
int64_t sizes_at_once(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    auto sizes = x.sizes();
    auto strides = x.strides();
    for (size_t d = 0; d < sizes.size(); d++) sum ^= sizes[d] + strides[d];
  }
  return sum;
}

// Asked once, read in the loop: what a kernel does.
int64_t sizes_kept(const at::Tensor& x, int64_t turns) {
  auto sizes = x.sizes();
  auto strides = x.strides();
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    for (size_t d = 0; d < sizes.size(); d++) {
      // Each turn waits for the one before, so that none is left out.
      sum ^= static_cast<int64_t>(static_cast<uint64_t>(sizes[d] + i) * static_cast<uint64_t>(strides[d] ^ sum));
    }
  }
  return sum;
}

int64_t facts(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    sum ^= x.dim() + x.numel() + x.storage_offset() + static_cast<int64_t>(x.scalar_type()) + x.is_contiguous();
  }
  return sum;
}

int64_t device(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    auto device = x.device();
    sum += device.is_cpu() + !device.has_index();
  }
  return sum;
}

int64_t requires_grad(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    sum += x.requires_grad();
  }
  return sum;
}

// The first element by the pointer, unchecked but for the dtype; the price of a view is what is beyond.
int64_t first_element(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    sum += static_cast<int64_t>(*x.const_data_ptr<float>());
  }
  return sum;
}

int64_t accessor(const at::Tensor& x, int64_t turns) {
  int64_t sum = 0;
  for (int64_t i = 0; i < turns; i++) {
    changed();
    sum += static_cast<int64_t>(x.accessor<float, 2>()[0][0]);
  }
  return sum;
}

} // namespace

TORCH_LIBRARY(bench_tensors_cpp, m) {
  for (const char* name : {"sizes_by_index", "sizes_at_once", "sizes_kept", "facts", "device", "requires_grad", "first_element", "accessor"}) {
    m.def((std::string(name) + "(Tensor x, int turns) -> int").c_str());
  }
}

TORCH_LIBRARY_IMPL(bench_tensors_cpp, CPU, m) {
  m.impl("sizes_by_index", sizes_by_index);
  m.impl("sizes_at_once", sizes_at_once);
  m.impl("sizes_kept", sizes_kept);
  m.impl("facts", facts);
  m.impl("device", device);
  m.impl("requires_grad", requires_grad);
  m.impl("first_element", first_element);
  m.impl("accessor", accessor);
}
