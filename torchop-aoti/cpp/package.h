// Torch's loader of AOTInductor packages.
#pragma once

#include "torchop-sys/cpp/storage.h"
#include "torchop-sys/cpp/types.h"
#include "rust/cxx.h"

#include <ATen/ATen.h>
#include <ATen/DynamicLibrary.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace torchop {

// What torch's runner keeps to itself and torch's Python asks for in other ways: the compiled model's own functions.
struct Runner : torch::inductor::AOTIModelContainerRunner {
  static AOTInductorModelContainerHandle container(AOTIModelContainerRunner& runner) {
    return runner.*(&Runner::container_handle_);
  }
  template <class Function>
  static Function function(AOTIModelContainerRunner& runner, const char* name) {
    return reinterpret_cast<Function>((runner.*(&Runner::model_so_))->sym(name));
  }
};

class Package {
 public:
  Package(const std::string& file, const std::string& name, bool single_threaded, size_t runners, c10::DeviceIndex device)
      : loader_(file, name, single_threaded, runners, device) {
    inputs_ = count("AOTInductorModelContainerGetNumInputs");
    outputs_ = count("AOTInductorModelContainerGetNumOutputs");
  }

  size_t inputs() const noexcept { return inputs_; }
  size_t outputs() const noexcept { return outputs_; }
  // Torch's own functions are not const, and may be called from any thread (all but those that change weights).
  torch::inductor::AOTIModelPackageLoader& loader() const { return loader_; }
  torch::inductor::AOTIModelContainerRunner& runner() const { return *loader_.get_runner(); }

 private:
  size_t count(const char* name) {
    using Count = AOTIRuntimeError (*)(AOTInductorModelContainerHandle, size_t*);
    size_t number = 0;
    TORCH_CHECK(Runner::function<Count>(runner(), name)(Runner::container(runner()), &number) == 0, name, " failed");
    return number;
  }

  mutable torch::inductor::AOTIModelPackageLoader loader_;
  size_t inputs_ = 0, outputs_ = 0;
};

// A package's code wants libtorch.so, which a Rust program has no other use for: from the folder where libtorch_cpu.so is.
inline void load_libtorch() {
  if (dlopen("libtorch.so", RTLD_LAZY | RTLD_NOLOAD)) return;
  std::string file = "libtorch.so";
  link_map* map = nullptr;
  if (void* cpu = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD); cpu && dlinfo(cpu, RTLD_DI_LINKMAP, &map) == 0) {
    std::string path = map->l_name;
    if (auto slash = path.rfind('/'); slash != std::string::npos) file = path.substr(0, slash + 1) + file;
  }
  TORCH_CHECK(dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL), "cannot open libtorch.so, which packages need: ", dlerror());
}

inline std::unique_ptr<Package> package_load(rust::Slice<const uint8_t> file, rust::Str name, bool single_threaded,
                                             size_t runners, int8_t device) {
  load_libtorch();
  return std::make_unique<Package>(std::string(file.begin(), file.end()), std::string(name), single_threaded, runners, device);
}

inline size_t package_inputs(const Package& package) noexcept { return package.inputs(); }
inline size_t package_outputs(const Package& package) noexcept { return package.outputs(); }

inline rust::String lossy(const std::string& text) { return rust::String::lossy(text); }

inline void package_call_spec(const Package& package, rust::Vec<rust::String>& specs) {
  for (const auto& spec : package.loader().get_call_spec()) specs.push_back(lossy(spec));
}

// Key, value, key, value, …
inline void package_metadata(const Package& package, rust::Vec<rust::String>& entries) {
  for (const auto& [key, value] : package.loader().get_metadata()) {
    entries.push_back(lossy(key));
    entries.push_back(lossy(value));
  }
}

// The file that the compiled model was unpacked to.
inline rust::String package_library(const Package& package) {
  Dl_info info{};
  auto* function = Runner::function<void*>(package.runner(), "AOTInductorModelContainerGetNumInputs");
  return dladdr(function, &info) && info.dli_fname ? lossy(info.dli_fname) : rust::String();
}

inline void package_constants(const Package& package, rust::Vec<rust::String>& names) {
  for (const auto& entry : package.runner().extract_constants_map(/*use_inactive=*/false)) names.push_back(lossy(entry.first));
}

// Torch 2.11 keeps the objects of a package to itself.
template <class Loader> auto objects_of(const Loader& loader) {
  if constexpr (requires { loader.get_custom_objs(); }) {
    return loader.get_custom_objs();
  } else {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "this torch does not give away the objects in a package; torch 2.15 does");
    return std::unordered_map<std::string, c10::IValue>();
  }
}

inline void package_objects(const Package& package, rust::Vec<rust::String>& names) {
  for (const auto& entry : objects_of(package.loader())) names.push_back(lossy(entry.first));
}

inline void package_object(const Package& package, rust::Str name, RawValue* to) {
  *to = objects_of(package.loader()).at(std::string(name));
}

// `results` has room for as many tensors as the package has outputs; all of them are made, or none.
inline void package_run(const Package& package, const TensorHandle* const* inputs, size_t count, TensorHandle* results) {
  std::vector<at::Tensor> taken;
  taken.reserve(count);
  for (size_t i = 0; i < count; i++) taken.push_back(*inputs[i]);
  auto outputs = package.loader().run(taken);
  TORCH_CHECK(outputs.size() == package.outputs(), "the package has ", package.outputs(), " outputs and gave ", outputs.size());
  // Torch 2.11 writes the text of an operator that failed to stderr, and goes on without its result.
  for (size_t i = 0; i < outputs.size(); i++)
    TORCH_CHECK(outputs[i].defined(), "result ", i, " is missing: the model gives None there, or an operator in the package failed, of which "
                "torch 2.11 writes to stderr");
  for (size_t i = 0; i < outputs.size(); i++) new (results + i) at::Tensor(std::move(outputs[i]));
}

// Torch copies as many bytes as the new tensor's storage has to where the old one's are, and takes its strides over: what it is given
// here is made like the old one, whatever the caller gave.
inline void package_update(const Package& package, rust::Slice<const rust::Str> names, const TensorHandle* const* values) {
  auto present = package.runner().extract_constants_map(/*use_inactive=*/false);
  std::unordered_map<std::string, at::Tensor> fresh;
  for (size_t i = 0; i < names.size(); i++) {
    std::string name(names[i]);
    auto found = present.find(name);
    TORCH_CHECK_VALUE(found != present.end(), "there is no constant `", name, "`");
    const at::Tensor &old = found->second, &value = *values[i];
    TORCH_CHECK_VALUE(value.sizes() == old.sizes(), "constant `", name, "` has the sizes ", old.sizes(), ", got ", value.sizes());
    TORCH_CHECK_TYPE(value.scalar_type() == old.scalar_type(), "constant `", name, "` is ", old.scalar_type(), ", got ", value.scalar_type());
    auto made = at::empty_strided(old.sizes(), old.strides(), old.options());
    made.copy_(value.detach());
    TORCH_CHECK_VALUE(fresh.emplace(name, std::move(made)).second, "constant `", name, "` is given twice");
  }
  package.loader().load_constants(fresh, /*use_inactive=*/false, /*check_full_update=*/false);
}

// All that is checked of an input, in one call: whether it can be given at all, dtype, device, rank, whether it is contiguous and
// whether in channels_last order. `sizes` has room for `rank` numbers, and is written if there are as many.
inline void tensor_facts(const TensorHandle& t, int64_t* sizes, size_t rank, std::array<int64_t, 6>& facts) noexcept {
  // One of torch's own with memory where its strides say, and no lazy sign.
  bool plain = t.defined() && t.layout() == c10::Layout::Strided && !t.is_meta() && t.has_storage() &&
      !t.unsafeGetTensorImpl()->is_python_dispatch() && !t.unsafeGetTensorImpl()->has_symbolic_sizes_strides() &&
      !t.is_conj() && !t.is_neg() && fits_storage(t);
  if (!plain) return void(facts[0] = 0);
  const int64_t found = t.dim();
  bool channels_last = found == 4 ? t.is_contiguous(c10::MemoryFormat::ChannelsLast)
                                  : found == 5 && t.is_contiguous(c10::MemoryFormat::ChannelsLast3d);
  facts = {1, static_cast<int64_t>(t.scalar_type()), static_cast<int64_t>(t.device().type()), found, t.is_contiguous(), channels_last};
  if (static_cast<size_t>(found) == rank) std::copy_n(t.sizes().data(), rank, sizes);
}

} // namespace torchop
