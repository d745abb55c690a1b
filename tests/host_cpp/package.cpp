// package MODEL.pt2 IO.pt LIBRARY WHEN: runs a package with objects in a process without Python. WHEN is `before`, `after` (a first
// try without the library, which must fail with a text that names the class) or `never`. Exit code 0 if all is as it should be.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

static void load(const char* library) {
  if (!dlopen(library, RTLD_NOW | RTLD_LOCAL)) throw std::runtime_error(dlerror());
}

static at::Tensor run(const char* package, const at::Tensor& x) {
  torch::inductor::AOTIModelPackageLoader model(package);
  return model.run({x}).at(0);
}

int main(int argc, char** argv) try {
  if (argc != 5) return std::cerr << "usage: package MODEL.pt2 IO.pt LIBRARY before|after|never\n", 2;
  const std::string when = argv[4];
  std::ifstream file(argv[2], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto io = torch::jit::pickle_load(bytes).toTuple();
  auto x = io->elements()[0].toTensor(), expected = io->elements()[1].toTensor();

  if (when == "before") load(argv[3]);
  if (when != "before") {
    try {
      run(argv[1], x);
      return std::cerr << "no exception without the library\n", 1;
    } catch (const std::exception& error) {
      std::cout << error.what() << std::endl;
      if (std::string(error.what()).find("test_ops") == std::string::npos) return std::cerr << "the class is not named\n", 1;
    }
  }
  if (when == "never") return 0;
  if (when == "after") load(argv[3]);
  for (int i = 0; i < 3; i++) {
    if (!at::allclose(run(argv[1], x), expected)) return std::cerr << "other numbers than Python's\n", 1;
  }
  return 0;
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
