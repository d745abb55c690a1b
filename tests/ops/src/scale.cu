#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torchop.cuh>

// Any layout on both sides; `n` is the number of elements.
template <class T>
__global__ void scale(torchop::View<const T> x, torchop::View<T> y, long long n, float factor) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y.at(i) = x.at(i) * static_cast<T>(factor);
}

// With a macro, and a name without template.
extern "C" __global__ void add(const float* x, const float* y, float* z, long long n) {
  for (int k = 0; k < EACH; k++) {
    const long long i = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * EACH + k;
    if (i < n) z[i] = x[i] + y[i];
  }
}

// The sum of an array's numbers, for each of `n` elements.
__global__ void weigh(torchop::Array<float, 3> weights, float* y, int n, torchop::Array<short, 5> more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 3; k++) sum += weights[k];
  for (int k = 0; k < 5; k++) sum += more[k];
  if (i < n) y[i] = sum;
}
