// What kernels get from torchop, for `#include <torchop.cuh>`.
#pragma once

namespace torchop {

// Sizes and strides, passed by value. Without dimensions it is one element.
template <int MAX = 8>
struct Geometry {
  long long dim;
  long long sizes[MAX];
  long long strides[MAX];

  // Where element `index`, counted in row-major order, lies.
  template <class Index>
  __device__ Index place(Index index) const {
    Index place = 0;
    for (int d = static_cast<int>(dim) - 1; d > 0; d--) {
      const Index size = static_cast<Index>(sizes[d]), rest = index / size;
      place += (index - rest * size) * static_cast<Index>(strides[d]);
      index = rest;
    }
    return dim > 0 ? place + index * static_cast<Index>(strides[0]) : place;
  }
};

// A tensor: the address of its first element, sizes and strides in elements.
template <class T, int MAX = 8>
struct View {
  T* data;
  Geometry<MAX> geometry;

  __device__ long long size(int d) const { return geometry.sizes[d]; }
  __device__ long long stride(int d) const { return geometry.strides[d]; }
  // Element `index`, counted in row-major order.
  template <class Index>
  __device__ T& at(Index index) const { return data[geometry.place(index)]; }
};

// A Rust array.
template <class T, int N>
struct Array {
  T values[N];
  __device__ const T& operator[](int i) const { return values[i]; }
};

} // namespace torchop
