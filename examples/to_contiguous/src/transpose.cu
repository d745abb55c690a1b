#include <torchop.cuh>

// Transposes matrices: in the input `i` runs along memory, in the output `j`. A block takes a tile through shared memory, so
// that both reading and writing go along memory; the padding keeps the threads of a warp on different banks.
template <class T>
__global__ void transpose(const T* input, T* output, const __grid_constant__ torchop::Geometry<> from,
                          const __grid_constant__ torchop::Geometry<> to, torchop::Array<long long, 2> sizes,
                          long long input_stride, long long output_stride) {
  constexpr int TILE = 32, ROWS = 8;
  __shared__ T tile[TILE][TILE + 1];
  const long long i_tiles = (sizes[0] + TILE - 1) / TILE, j_tiles = (sizes[1] + TILE - 1) / TILE;
  const unsigned x = threadIdx.x, y = threadIdx.y;
  long long block = blockIdx.x;
  const long long i0 = block % i_tiles * TILE;
  block /= i_tiles;
  const long long j0 = block % j_tiles * TILE;
  block /= j_tiles;
  input += from.place(block);
  output += to.place(block);

#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const long long i = i0 + x, j = j0 + y + k;
    if (i < sizes[0] && j < sizes[1]) tile[y + k][x] = input[j * input_stride + i];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const long long i = i0 + y + k, j = j0 + x;
    if (i < sizes[0] && j < sizes[1]) output[i * output_stride + j] = tile[x][y + k];
  }
}
