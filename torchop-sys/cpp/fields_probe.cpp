// Prints the fields for Rust, when the bridge is built: a program that is compiled as the bridge is, and linked to nothing.
#include "fields.h"

#include <cstdio>

int main() {
  // Memory in which no tensor was made: making one wants torch's library.
  alignas(torchop::Probe) static unsigned char memory[sizeof(torchop::Probe)];
  auto* probe = reinterpret_cast<torchop::Probe*>(memory);
  asm volatile("" : "+r"(probe) : : "memory");
  const auto f = probe->fields();
  if (f.custom == 0 || f.contiguous == 0 || f.device_given == 0 || f.device_custom == 0) return 1;
  std::printf("Fields { rank: %u, sizes: %u, strides: %u, numel: %u, offset: %u, dtype: %u, device: %u, autograd: %u, ", f.rank, f.sizes,
              f.strides, f.numel, f.offset, f.dtype, f.device, f.autograd);
  std::printf("custom_at: %u, contiguous_at: %u, device_given_at: %u, device_custom_at: %u, ", f.custom_at, f.contiguous_at, f.device_given_at,
              f.device_custom_at);
  std::printf("custom: %u, contiguous: %u, device_given: %u, device_custom: %u, resizable: %u }\n", f.custom, f.contiguous, f.device_given,
              f.device_custom, f.resizable);
}
