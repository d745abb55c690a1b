// text_host LIBRARY MODEL.pt2 TEXT: from the bytes of a text to logits, without Python.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstring>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 4) return std::cerr << "usage: text_host LIBRARY MODEL.pt2 TEXT\n", 2;
  if (!dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) return std::cerr << dlerror() << "\n", 2;
  torch::inductor::AOTIModelPackageLoader model(argv[2]);
  auto text = at::from_blob(argv[3], {static_cast<int64_t>(std::strlen(argv[3]))}, at::kByte);
  auto logits = model.run({text}).at(0);
  for (int64_t i = 0; i < logits.numel(); i++) std::cout << logits[i].item<float>() << "\n";
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
