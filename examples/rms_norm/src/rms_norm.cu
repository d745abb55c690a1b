#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torchop.cuh>

// Threads along x share a row, in whole warps; rows of a block lie along y. All sums are of floats.

// Elements that are read and written at once: 16 bytes, unless the memory does not lie so.
template <class T, bool VECTORS>
struct alignas(VECTORS ? 16 : sizeof(T)) Some {
  static constexpr int N = VECTORS ? 16 / sizeof(T) : 1;
  T values[N];
};

// What is read once does not take the place of the weight in the cache.
template <class T>
__device__ Some<T, true> once(const Some<T, true>* from) {
  const uint4 bits = __ldcs(reinterpret_cast<const uint4*>(from));
  return reinterpret_cast<const Some<T, true>&>(bits);
}
template <class T>
__device__ Some<T, false> once(const Some<T, false>* from) { return *from; }

template <bool WIDE, class T>
struct WeightOf { using Type = T; };
template <class T>
struct WeightOf<true, T> { using Type = float; };

// As many numbers of the weight, which may be wider than the elements; ones if there is none.
template <class W, int N>
struct Factors {
  struct alignas(sizeof(W) * N < 16 ? sizeof(W) * N : 16) Run { W values[N]; } run;

  __device__ Factors(const W* weight, int place, bool weighted) {
    if (weighted) run = *reinterpret_cast<const Run*>(weight + place);
    else
      for (int n = 0; n < N; n++) run.values[n] = static_cast<W>(1.f);
  }
  __device__ float operator[](int n) const { return static_cast<float>(run.values[n]); }
};

// The sum over the threads of a row, for each of them. All threads of the block call it.
__device__ float sum_of_row(float sum) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  const int warps = blockDim.x / 32;
  if (warps == 1) return sum;
  __shared__ float sums[32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.y * warps + threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int warp = 0; warp < warps; warp++) sum += sums[threadIdx.y * warps + warp];
  return sum;
}

// y = x * rstd * weight, where rstd = 1 / sqrt(mean(x^2) + eps). A thread keeps the first elements of its row; the others, of very
// wide rows, are read twice. Few numbers for each keep more threads at work, where a row does not take too many.
template <class T, bool WIDE, bool VECTORS, int HELD>
__global__ void __launch_bounds__(512, HELD == 2 ? 3 : 2)
    forward(const T* x, const typename WeightOf<WIDE, T>::Type* weight, T* y, float* rstd, long long rows, int columns, float eps,
            int weighted) {
  using V = Some<T, VECTORS>;
  using W = Factors<typename WeightOf<WIDE, T>::Type, V::N>;
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const int vectors = row < rows ? columns / V::N : 0;
  const V* from = reinterpret_cast<const V*>(x + row * columns);
  V* to = reinterpret_cast<V*>(y + row * columns);

  V held[HELD];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < HELD; k++) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < vectors) held[k] = once(from + i);
  }
#pragma unroll
  for (int k = 0; k < HELD; k++) {
    if (threadIdx.x + k * blockDim.x < vectors)
      for (int n = 0; n < V::N; n++) sum += static_cast<float>(held[k].values[n]) * static_cast<float>(held[k].values[n]);
  }
#pragma unroll 1
  for (int i = threadIdx.x + HELD * blockDim.x; i < vectors; i += blockDim.x) {
    const V more = from[i];
    for (int n = 0; n < V::N; n++) sum += static_cast<float>(more.values[n]) * static_cast<float>(more.values[n]);
  }
  const float root = rsqrtf(sum_of_row(sum) / columns + eps);
  if (threadIdx.x == 0 && row < rows) rstd[row] = root;

  const auto scale = [&](const V& in, int i) {
    const W w(weight, i * V::N, weighted);
    V out;
    for (int n = 0; n < V::N; n++) out.values[n] = static_cast<T>(static_cast<float>(in.values[n]) * root * w[n]);
    to[i] = out;
  };
#pragma unroll
  for (int k = 0; k < HELD; k++) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < vectors) scale(held[k], i);
  }
#pragma unroll 1
  for (int i = threadIdx.x + HELD * blockDim.x; i < vectors; i += blockDim.x) scale(from[i], i);
}

// With h = g * weight: d = (h - x * rstd^2 * mean(h * x)) * rstd. Blocks go through the rows; each leaves in its row of `parts`
// the sum of g * x * rstd over those that it saw, if that is wanted.
template <class T, bool WIDE, bool VECTORS>
__global__ void __launch_bounds__(sizeof(T) == 2 ? 512 : 1024)
    backward(const T* g, const T* x, const typename WeightOf<WIDE, T>::Type* weight, const float* rstd, T* d, float* parts,
             long long rows, int columns, int weighted, int wanted) {
  using V = Some<T, VECTORS>;
  using W = Factors<typename WeightOf<WIDE, T>::Type, V::N>;
  constexpr int HELD = 4;
  const int all = columns / V::N;
  float* part = parts + static_cast<long long>(blockIdx.x) * columns;
  float kept[HELD][V::N] = {};

  for (long long first = static_cast<long long>(blockIdx.x) * blockDim.y; first < rows;
       first += static_cast<long long>(gridDim.x) * blockDim.y) {
    const long long row = first + threadIdx.y;
    const int vectors = row < rows ? all : 0;
    const V* from_g = reinterpret_cast<const V*>(g + row * columns);
    const V* from_x = reinterpret_cast<const V*>(x + row * columns);
    V* to = reinterpret_cast<V*>(d + row * columns);
    const float root = row < rows ? rstd[row] : 0.f;

    V held_g[HELD], held_x[HELD];
    float sum = 0;
    const auto along = [&](const V& g, const V& x, int i) {
      const W w(weight, i * V::N, weighted);
      for (int n = 0; n < V::N; n++) sum += static_cast<float>(g.values[n]) * w[n] * static_cast<float>(x.values[n]);
    };
#pragma unroll
    for (int k = 0; k < HELD; k++) {
      const int i = threadIdx.x + k * blockDim.x;
      if (i < vectors) held_g[k] = once(from_g + i), held_x[k] = once(from_x + i);
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
      const int i = threadIdx.x + k * blockDim.x;
      if (i < vectors) along(held_g[k], held_x[k], i);
    }
#pragma unroll 1
    for (int i = threadIdx.x + HELD * blockDim.x; i < vectors; i += blockDim.x) along(from_g[i], from_x[i], i);
    const float slope = sum_of_row(sum) / columns * root * root;

    const auto scale = [&](const V& g, const V& x, int i) {
      const W w(weight, i * V::N, weighted);
      V out;
      for (int n = 0; n < V::N; n++)
        out.values[n] = static_cast<T>((static_cast<float>(g.values[n]) * w[n] - static_cast<float>(x.values[n]) * slope) * root);
      to[i] = out;
    };
#pragma unroll
    for (int k = 0; k < HELD; k++) {
      const int i = threadIdx.x + k * blockDim.x;
      if (i >= vectors) continue;
      scale(held_g[k], held_x[k], i);
      for (int n = 0; n < V::N; n++)
        kept[k][n] += static_cast<float>(held_g[k].values[n]) * static_cast<float>(held_x[k].values[n]) * root;
    }
#pragma unroll 1
    for (int i = threadIdx.x + HELD * blockDim.x; i < vectors; i += blockDim.x) {
      const V more_g = from_g[i], more_x = from_x[i];
      scale(more_g, more_x, i);
      if (!wanted) continue;
      // Rows that are so wide have a block for themselves, and a thread always the same columns.
      for (int n = 0; n < V::N; n++) {
        const float more = static_cast<float>(more_g.values[n]) * static_cast<float>(more_x.values[n]) * root;
        float& sum = part[i * V::N + n];
        sum = first == blockIdx.x ? more : sum + more;
      }
    }
  }

  if (!wanted) return;
  // One row of the block after the other adds its own.
  for (int y = 0; y < blockDim.y; y++) {
    if (y > 0) __syncthreads();
    if (y != threadIdx.y) continue;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
      const int i = threadIdx.x + k * blockDim.x;
      if (i >= all) continue;
      for (int n = 0; n < V::N; n++) {
        float& sum = part[i * V::N + n];
        sum = y == 0 ? kept[k][n] : sum + kept[k][n];
      }
    }
  }
}

// The sums over `count` rows, 32 columns a block of 32 x 32 threads.
template <class W>
__global__ void sums_of_columns(const float* parts, W* sums, int count, int columns) {
  __shared__ float some[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (column < columns)
    for (int row = threadIdx.y; row < count; row += 32) sum += parts[static_cast<long long>(row) * columns + column];
  some[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = some[threadIdx.x][threadIdx.y];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  const int mine = blockIdx.x * 32 + threadIdx.y;
  if (threadIdx.x == 0 && mine < columns) sums[mine] = static_cast<W>(sum);
}
