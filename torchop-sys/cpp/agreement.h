// Whether the fake of an operator and its kernel say the same, over layouts of the arguments.
#pragma once

#include "open_fake.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <functional>

namespace torchop {

struct ArgumentLayout {
  const char* name;
  // Another tensor of the same dtype in this layout; undefined where the tensor cannot have it.
  at::Tensor (*make)(const at::Tensor&);
};

inline at::Tensor sliced(const at::Tensor& t) {
  if (t.dim() == 0) return {};
  auto sizes = t.sizes().vec();
  sizes.back() = 2 * sizes.back() + 1;
  auto view = at::empty(sizes, t.options()).slice(-1, 1, sizes.back(), 2);
  return view.copy_(t);
}

inline const std::array<ArgumentLayout, 8>& argument_layouts() {
  static const std::array<ArgumentLayout, 8> layouts{{
      {"contiguous", [](const at::Tensor& t) { return t.contiguous().clone(); }},
      {"transposed",
       [](const at::Tensor& t) { return t.dim() < 2 ? at::Tensor() : t.transpose(-2, -1).contiguous().transpose(-2, -1); }},
      {"channels_last",
       [](const at::Tensor& t) {
         return t.dim() != 4 ? at::Tensor() : t.contiguous(at::MemoryFormat::ChannelsLast).clone();
       }},
      {"expanded",
       [](const at::Tensor& t) {
         return t.dim() == 0 || t.size(0) == 0 ? at::Tensor() : t.narrow(0, 0, 1).clone().expand(t.sizes());
       }},
      {"sliced", sliced},
      {"zero-size", [](const at::Tensor& t) { return t.dim() == 0 ? at::Tensor() : t.narrow(0, 0, 0).clone(); }},
      {"0-dim", [](const at::Tensor& t) { return t.numel() == 0 ? at::Tensor() : t.reshape({-1}).select(0, 0).clone(); }},
      {"one element", [](const at::Tensor& t) { return t.dim() == 0 || t.size(0) == 0 ? at::Tensor() : t.narrow(0, 0, 1).clone(); }},
  }};
  return layouts;
}

// The value with each tensor in it replaced. Lists are made anew: the caller's stays as it is.
template <class Replace>
IValue with_tensors(const IValue& value, Replace replace) {
  if (value.isTensor()) return value.toTensor().defined() ? IValue(replace(value.toTensor())) : value;
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const IValue& element : value.toListRef()) list.push_back(replace(element.toTensor()));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const IValue& element : value.toListRef()) {
      list.push_back(element.isTensor() && element.toTensor().defined() ? std::optional<at::Tensor>(replace(element.toTensor()))
                                                                       : std::nullopt);
    }
    return list;
  }
  return value;
}

// The same sizes, strides and dtype, without data.
inline at::Tensor without_data(const at::Tensor& t) {
  int64_t span = t.numel() == 0 ? 0 : 1;
  for (int64_t d = 0; d < t.dim() && span > 0; d++) span += (t.size(d) - 1) * t.stride(d);
  return at::empty({t.storage_offset() + span}, t.options().device(at::kMeta)).as_strided(t.sizes(), t.strides(), t.storage_offset());
}

class FakeCheck {
 public:
  FakeCheck(const std::string& name, const std::string& hidden, std::vector<IValue> arguments)
      : op_(find(name)), fake_(op_), arguments_(std::move(arguments)) {
    TORCH_CHECK_TYPE(op_.schema().arguments().size() == arguments_.size(), name, ": takes ", op_.schema().arguments().size(),
                     " arguments, called with ", arguments_.size());
    if (auto found = c10::Dispatcher::singleton().findSchema({hidden, ""})) {
      fake_ = *found;
      auto& declared = fake_.schema().arguments();
      has_anchor_ = !declared.empty() && declared.back().name() == "_anchor";
      dynamic_ = declared.size() - arguments_.size() - (has_anchor_ ? 1 : 0);
    }
  }

  void run(rust::Vec<rust::String>& compared, rust::Vec<rust::String>& problems) {
    at::NoGradGuard guard;
    try_with("as given", arguments_, true, compared, problems);
    // All tensors in the layout, then each alone.
    for (const auto& layout : argument_layouts()) {
      std::vector<IValue> all;
      size_t changed = 0;
      for (const IValue& value : arguments_) {
        all.push_back(in_layout(value, layout));
        changed += !all.back().is(value) ? 1 : 0;
      }
      if (changed > 0) try_with(layout.name, all, false, compared, problems);
      for (size_t i = 0; i < all.size() && changed > 1; i++) {
        if (all[i].is(arguments_[i])) continue;
        auto one = arguments_;
        one[i] = all[i];
        try_with(c10::str(op_.schema().arguments()[i].name(), " ", layout.name), one, false, compared, problems);
      }
    }
  }

 private:
  static c10::OperatorHandle find(const std::string& name) {
    auto parsed = torch::jit::parseName(name);
    return c10::Dispatcher::singleton().findSchemaOrThrow(parsed.name.c_str(), parsed.overload_name.c_str());
  }

  // The value itself where it has no tensors, or one that cannot be laid out so.
  static IValue in_layout(const IValue& value, const ArgumentLayout& layout) {
    bool possible = true, any = false;
    auto laid_out = with_tensors(value, [&](const at::Tensor& t) {
      auto made = t.layout() == at::kStrided ? layout.make(t) : at::Tensor();
      possible &= made.defined();
      any = true;
      return made.defined() ? made : t;
    });
    return possible && any ? laid_out : value;
  }

  static std::vector<at::Tensor> tensors_of(const IValue& value) {
    std::vector<at::Tensor> tensors;
    each_tensor_in(value, [&](const at::Tensor& t) { tensors.push_back(t); });
    return tensors;
  }

  Stack call_fake(const std::vector<IValue>& arguments, const std::vector<int64_t>& sizes) const {
    Stack stack;
    for (const IValue& value : arguments) stack.push_back(with_tensors(value, without_data));
    for (int64_t size : sizes) stack.emplace_back(size);
    if (has_anchor_) stack.emplace_back(at::empty({}, at::TensorOptions().device(at::kMeta)));
    fake_.callBoxed(stack);
    return stack;
  }

  void try_with(const std::string& layout, const std::vector<IValue>& arguments, bool must_run,
                rust::Vec<rust::String>& compared, rust::Vec<rust::String>& problems) const {
    auto problem = [&](const std::string& text) { problems.push_back(layout + ": " + text); };
    Stack real;
    for (const IValue& value : arguments) real.push_back(with_tensors(value, [](const at::Tensor& t) { return copy_of(t); }));
    try {
      op_.callBoxed(real);
    } catch (const c10::Error&) {
      // What the kernel refuses has no fake to compare.
      if (must_run) throw;
      return;
    }
    Stack fake;
    try {
      fake = call_fake(arguments, dynamic_ ? sizes_of(arguments, real, problem) : std::vector<int64_t>{});
    } catch (const c10::Error& e) {
      return problem(c10::str("the kernel runs, and the fake fails: ", e.what_without_backtrace()));
    }
    compared.push_back(layout);
    for (size_t i = 0; i < real.size(); i++) compare(i, real[i], fake[i], arguments, problem);
  }

  // The same layout, in memory of its own: kernels may write.
  static at::Tensor copy_of(const at::Tensor& t) {
    int64_t span = t.numel() == 0 ? 0 : 1;
    for (int64_t d = 0; d < t.dim() && span > 0; d++) span += (t.size(d) - 1) * t.stride(d);
    auto memory = t.as_strided({span}, {1}, t.storage_offset()).clone();
    return memory.as_strided(t.sizes(), t.strides(), 0);
  }

  // What the sizes that depend on data are here: where the fake puts a number that occurs nowhere else, the kernel's
  // result has the size.
  template <class Problem>
  std::vector<int64_t> sizes_of(const std::vector<IValue>& arguments, const Stack& real, Problem problem) const {
    std::vector<int64_t> probes, sizes(dynamic_, -1);
    for (size_t i = 0; i < dynamic_; i++) probes.push_back(1000003 + 4 * static_cast<int64_t>(i));
    Stack fake;
    try {
      fake = call_fake(arguments, probes);
    } catch (const c10::Error&) {
      // It knows better than that: the first of the kernel's own sizes that make it say the same.
      return sizes_that_agree(arguments, real);
    }
    for (size_t r = 0; r < real.size(); r++) {
      auto ours = tensors_of(real[r]), theirs = tensors_of(fake[r]);
      for (size_t k = 0; k < std::min(ours.size(), theirs.size()); k++) {
        for (int64_t d = 0; d < std::min(ours[k].dim(), theirs[k].dim()); d++) {
          for (size_t i = 0; i < dynamic_; i++) {
            if (theirs[k].size(d) != probes[i]) continue;
            if (sizes[i] >= 0 && sizes[i] != ours[k].size(d)) {
              problem(c10::str("the size that the fake calls dynamic ", i, " is ", sizes[i], " in one place of the kernel's results and ",
                               ours[k].size(d), " in another"));
            }
            sizes[i] = ours[k].size(d);
          }
        }
      }
    }
    for (auto& size : sizes) size = std::max<int64_t>(size, 0);
    return sizes;
  }

  std::vector<int64_t> sizes_that_agree(const std::vector<IValue>& arguments, const Stack& real) const {
    std::vector<int64_t> candidates;
    for (const IValue& value : real) {
      for (const at::Tensor& t : tensors_of(value)) candidates.insert(candidates.end(), t.sizes().begin(), t.sizes().end());
    }
    if (candidates.empty()) candidates.push_back(0);
    std::vector<size_t> choice(dynamic_, 0);
    auto chosen = [&] {
      std::vector<int64_t> sizes;
      for (size_t place : choice) sizes.push_back(candidates[place]);
      return sizes;
    };
    const auto first = chosen();
    while (true) {
      auto sizes = chosen();
      size_t problems = 0;
      try {
        Stack fake = call_fake(arguments, sizes);
        for (size_t i = 0; i < real.size(); i++) compare(i, real[i], fake[i], arguments, [&](const std::string&) { problems++; });
      } catch (const c10::Error&) {
        problems++;
      }
      if (problems == 0) return sizes;
      size_t place = 0;
      while (place < choice.size() && ++choice[place] == candidates.size()) choice[place++] = 0;
      if (place == choice.size()) return first;
    }
  }

  template <class Problem>
  void compare(size_t index, const IValue& real, const IValue& fake, const std::vector<IValue>& arguments, Problem problem) const {
    auto result = c10::str("result ", index);
    auto ours = tensors_of(real), theirs = tensors_of(fake);
    if (ours.size() != theirs.size()) {
      return problem(c10::str(result, " has ", ours.size(), " tensors from the kernel, ", theirs.size(), " from the fake"));
    }
    for (size_t k = 0; k < ours.size(); k++) {
      const auto &a = ours[k], &b = theirs[k];
      auto differ = [&](const char* what, const auto& x, const auto& y) {
        problem(c10::str(result, " has ", what, " ", x, " from the kernel, ", y, " from the fake"));
      };
      if (a.scalar_type() != b.scalar_type()) differ("dtype", a.scalar_type(), b.scalar_type());
      if (a.sizes() != b.sizes()) {
        differ("sizes", a.sizes(), b.sizes());
      } else if (a.layout() == at::kStrided && a.numel() > 0) {
        bool same = true;
        for (int64_t d = 0; d < a.dim(); d++) same &= a.size(d) <= 1 || a.stride(d) == b.stride(d);
        if (!same) differ("strides", a.strides(), b.strides());
        if (a.storage_offset() != b.storage_offset()) differ("storage offset", a.storage_offset(), b.storage_offset());
      }
      if (auto expected = device_of(arguments); expected && *expected != a.device()) {
        differ("device", a.device(), *expected);
      }
    }
  }

  // What torch takes a fake's result to be on: where the arguments are.
  static std::optional<c10::Device> device_of(const std::vector<IValue>& arguments) {
    std::optional<c10::Device> device;
    for (const IValue& value : arguments) {
      for (const at::Tensor& t : tensors_of(value)) {
        if (!device || (t.dim() > 0 && device->is_cpu())) device = t.device();
      }
    }
    return device;
  }

  c10::OperatorHandle op_;
  c10::OperatorHandle fake_;
  std::vector<IValue> arguments_;
  size_t dynamic_ = 0;
  bool has_anchor_ = false;
};

// Takes the arguments, leaving None behind.
inline void check_fake(rust::Str op, rust::Str hidden, RawValue* arguments, size_t count, rust::Vec<rust::String>& compared,
                       rust::Vec<rust::String>& problems) {
  std::vector<IValue> values(std::make_move_iterator(arguments), std::make_move_iterator(arguments + count));
  FakeCheck(std::string(op), std::string(hidden), std::move(values)).run(compared, problems);
}

} // namespace torchop
