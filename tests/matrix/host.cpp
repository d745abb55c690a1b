// host LIBRARY MODEL.pt2 SIZE: runs the package on 0, 1, … SIZE - 1 without Python; prints each result's numbers on a line.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 4) return std::cerr << "usage: host LIBRARY MODEL.pt2 SIZE\n", 2;
  if (!dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) return std::cerr << dlerror() << "\n", 2;
  torch::inductor::AOTIModelPackageLoader model(argv[2]);
  for (const auto& output : model.run({at::arange(std::atol(argv[3]))})) {
    auto numbers = output.contiguous();
    for (int64_t i = 0; i < numbers.numel(); i++) std::cout << numbers.const_data_ptr<int64_t>()[i] << " ";
    std::cout << "\n";
  }
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
