#include <torchop.cuh>

// Line 5 has a mistake.
__global__ void misspelt(torchop::View<const float> x, float* y) {
  y[0] = x.att(0);
}
