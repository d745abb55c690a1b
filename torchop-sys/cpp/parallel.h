// Torch's intra-op threads.
#pragma once

#include "types.h"

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/from_blob.h>

namespace torchop {

inline int64_t parallel_threads() { return at::get_num_threads(); }
inline void parallel_set_threads(int32_t count) { at::set_num_threads(count); }
inline bool parallel_inside() { return at::in_parallel_region(); }

// `at::parallel_for(0, count, grain, …)`, whatever torch is built with: the header's own needs the compiler's OpenMP, and a
// second copy of its library would be a second pool. Torch's iterator is compiled inside torch; here it goes over as many
// bytes as there are numbers, whose addresses are the numbers, and which nobody reads.
inline void parallel_run(int64_t count, int64_t grain, RangeFn function, const uint8_t* context) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (count <= grain || at::in_parallel_region() || at::get_num_threads() == 1) {
    function(context, 0, count);
    return;
  }
  auto* base = reinterpret_cast<char*>(alignof(std::max_align_t));
  auto iterator = [&] {
    at::AutoDispatchBelowADInplaceOrView guard;
    return at::TensorIteratorConfig()
        .set_check_mem_overlap(false)
        .check_all_same_dtype(false)
        .resize_outputs(false)
        .add_owned_output(at::from_blob(base, {count}, at::kByte))
        .build();
  }();
  // Operators that are called on the other threads find the modes and keys of this one.
  at::ThreadLocalState state;
  iterator.for_each(
      [&](char** data, const int64_t*, int64_t size, int64_t rows) {
        at::ThreadLocalStateGuard guard(state);
        const int64_t begin = data[0] - base;
        function(context, begin, begin + size * rows);
      },
      grain);
}

} // namespace torchop
