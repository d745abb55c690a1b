// host LIBRARY MODEL.pt2 IO.pt: loads the op library, runs the package, compares with what Python saw.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/custom_class.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

static bool mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(name) != std::string::npos) return true;
  return false;
}

static void check(bool good, const std::string& what) {
  std::cout << "- " << what << (good ? "" : ": NO") << std::endl;
  if (!good) std::exit(1);
}

int main(int argc, char** argv) try {
  if (argc != 4) return std::cerr << "usage: host LIBRARY MODEL.pt2 IO.pt\n", 2;
  if (!dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) return std::cerr << dlerror() << "\n", 2;

  std::ifstream file(argv[3], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto io = torch::jit::pickle_load(bytes).toTuple();
  auto x = io->elements()[0].toTensor(), expected = io->elements()[1].toTensor();

  torch::inductor::AOTIModelPackageLoader model(argv[2]);
  auto y = model.run({x}).at(0);
  check(at::allclose(y, expected, 1e-4, 1e-5), "model.pt2: the numbers that Python saw");

  auto op = c10::Dispatcher::singleton().findSchemaOrThrow("my_ops::identity_conv_op", "");
  check(at::equal(op.typed<at::Tensor(const at::Tensor&)>().call(x), x), "the op, called through the dispatcher");

  auto type = torch::getCustomClass("__torch__.torch.classes.my_ops.IdentityConvClass");
  c10::IValue object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
  type->getMethod("__init__")({object, 3});
  check(at::equal(type->getMethod("forward")({object, x}).toTensor(), x), "an object of the class, made from C++");

  check(!mapped("libpython") && !mapped("libtorch_python"), "neither libpython nor libtorch_python is mapped");
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
