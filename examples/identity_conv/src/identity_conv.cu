#include <torchop.cuh>

// Copies `count` words, each to the place where it lies in the input, then `tail` bytes that follow them. Flat words lie side
// by side. Every thread moves 16 bytes, all loads before the first store: that keeps the memory busy.
template <class Word, class Index, bool FLAT>
__global__ void copy(const Word* input, Word* output, const __grid_constant__ torchop::Geometry<> words,
                     long long count, int tail) {
  constexpr int EACH = 16 / sizeof(Word);
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x * EACH + threadIdx.x;
  Word word[EACH];
  Index place[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const Index index = first + k * blockDim.x;
    place[k] = FLAT ? index : words.place(index);
    if (index < count) word[k] = input[place[k]];
  }
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    if (first + k * blockDim.x < count) output[place[k]] = word[k];
  }
  if (blockIdx.x == 0 && threadIdx.x < tail) {
    const auto from = reinterpret_cast<const char*>(input + count);
    reinterpret_cast<char*>(output + count)[threadIdx.x] = from[threadIdx.x];
  }
}
