// package LIBRARY MODEL.pt2 INPUT ROUNDS SIZE…: the counterpart of bench/host. INPUT is not looked at: C++ checks none.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  using clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::duration<double, std::milli>;
  auto start = clock::now();
  if (!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return std::cerr << dlerror() << "\n", 2;
  torch::inductor::AOTIModelPackageLoader model(argv[2]);
  double loaded = milliseconds(clock::now() - start).count();

  std::vector<int64_t> sizes;
  for (int i = 5; i < argc; i++) sizes.push_back(std::stoll(argv[i]));
  auto x = at::full(sizes, 1.0, at::kFloat);
  double smallest = std::numeric_limits<double>::infinity();
  for (int round = 0; round < std::stoi(argv[4]); round++) {
    auto start = clock::now();
    for (int i = 0; i < 100; i++) model.run({x});
    smallest = std::min(smallest, milliseconds(clock::now() - start).count() * 1e6 / 100);
  }
  std::cout << loaded << " " << smallest << std::endl;
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
