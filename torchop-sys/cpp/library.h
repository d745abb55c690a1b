// Registration with torch's dispatcher.
#pragma once

#include "autocast.h"
#include "autograd.h"
#include "batching.h"
#include "math_bits.h"
#include "meta.h"
#include "nested.h"
#include "open_fake.h"
#include "traced_backward.h"

#include <torch/csrc/jit/frontend/function_schema_parser.h>

namespace torchop {

// Tags that not every supported torch has.
template <class Tag> auto newer_tag(const std::string& name, int) -> decltype(Tag::out, Tag::inplace, std::optional<Tag>()) {
  if (name == "out") return Tag::out;
  if (name == "inplace") return Tag::inplace;
  return std::nullopt;
}
template <class Tag> std::optional<Tag> newer_tag(const std::string&, long) { return std::nullopt; }

// Nothing for a tag that this torch does not know yet.
inline std::optional<at::Tag> tag_by_name(const std::string& name) {
#define TORCHOP_TAG(tag) if (name == #tag) return at::Tag::tag
  TORCHOP_TAG(core);
  TORCHOP_TAG(cudagraph_unsafe);
  TORCHOP_TAG(data_dependent_output);
  TORCHOP_TAG(dynamic_output_shape);
  TORCHOP_TAG(flexible_layout);
  TORCHOP_TAG(generated);
  TORCHOP_TAG(inplace_view);
  TORCHOP_TAG(maybe_aliasing_or_mutating);
  TORCHOP_TAG(needs_contiguous_strides);
  TORCHOP_TAG(needs_exact_strides);
  TORCHOP_TAG(needs_fixed_stride_order);
  TORCHOP_TAG(nondeterministic_bitwise);
  TORCHOP_TAG(nondeterministic_seeded);
  TORCHOP_TAG(out_variant);
  TORCHOP_TAG(pointwise);
  TORCHOP_TAG(pt2_compliant_tag);
  TORCHOP_TAG(reduction);
  TORCHOP_TAG(view_copy);
#undef TORCHOP_TAG
  if (name == "out" || name == "inplace") return newer_tag<at::Tag>(name, 0);
  C10_THROW_ERROR(ValueError, "no tag `" + name + "` in torch.Tag");
}

// All that one place in the source registers under one namespace, as a `torch::Library` does it, which would read each name
// with torch's parser. Destroying it takes everything back.
class Namespace {
 public:
  Namespace(rust::Str name, rust::Str file, uint32_t line)
      : prefix_(std::string(name) + "::"),
        place_("registered at " + std::string(file) + ":" + std::to_string(line)) {}

  void define(rust::Str schema, rust::Slice<const rust::Str> tags) {
    std::vector<at::Tag> list;
    for (auto tag : tags) {
      if (auto known = tag_by_name(std::string(tag))) list.push_back(*known);
    }
    register_def(torch::jit::parseSchema(std::string(schema)), std::move(list));
  }

  void define(c10::FunctionSchema schema) {
    register_def(std::move(schema), {at::Tag::pt2_compliant_tag});
  }

  // `op` without namespace, with overload; `name` the operator's for messages, with both.
  template <class Kernel>
  void kernel_or_fake(rust::Str op, rust::Str name, c10::DispatchKey key, std::unique_ptr<Kernel> k) {
    auto nested = nested_arguments(schema_of(view(name)));
    if (nested.empty()) return kernel(op, key, std::move(k));
    kernel(op, key, std::make_unique<NestedKernel<Kernel>>(std::move(k), view(name), std::move(nested)));
  }

  template <class Kernel>
  void kernel(rust::Str op, c10::DispatchKey key, std::unique_ptr<Kernel> kernel) {
    registered_.push_back(c10::Dispatcher::singleton().registerImpl(
        operator_name(prefix_ + std::string(op)), key, c10::KernelFunction::makeFromBoxedFunctor(std::move(kernel)), std::nullopt,
        nullptr, place_));
  }

 private:
  void register_def(c10::FunctionSchema schema, std::vector<at::Tag> tags) {
    registered_.push_back(c10::Dispatcher::singleton().registerDef(std::move(schema), place_, std::move(tags)));
  }

  std::string prefix_, place_;
  // Taken back in the order of registration, as torch does.
  std::vector<c10::RegistrationHandleRAII> registered_;
};

inline std::unique_ptr<Namespace> namespace_new(rust::Str name, rust::Str file, uint32_t line) {
  return std::make_unique<Namespace>(name, file, line);
}

inline void namespace_define(Namespace& ns, rust::Str schema, rust::Slice<const rust::Str> tags) { ns.define(schema, tags); }

inline std::vector<uint16_t> indices(rust::Slice<const uint16_t> list) { return {list.begin(), list.end()}; }

// A kernel below autograd.
inline void namespace_kernel(Namespace& ns, rust::Str op, rust::Str key, KernelFn function, const uint8_t* context,
                             uint32_t arguments, uint32_t results, rust::Str name, rust::Slice<const uint16_t> tensors,
                             rust::Slice<const uint16_t> written) {
  auto dispatch_key = c10::parseDispatchKey(std::string(key));
  BackendKernel kernel(Target{function, context, arguments, results, view(name)}, guarded_type(dispatch_key));
  if (written.empty()) {
    ns.kernel_or_fake(op, name, dispatch_key, std::make_unique<BackendKernel>(std::move(kernel)));
  } else {
    ns.kernel_or_fake(op, name, dispatch_key, std::make_unique<WritingKernel>(std::move(kernel), indices(written), indices(tensors)));
  }
}

// A fake, or a composite function.
inline void namespace_open_kernel(Namespace& ns, rust::Str op, rust::Str key, KernelFn function, const uint8_t* context,
                                  uint32_t arguments, uint32_t results, rust::Str name) {
  auto dispatch_key = c10::parseDispatchKey(std::string(key));
  auto kernel = std::make_unique<OpenKernel>(Target{function, context, arguments, results, view(name)});
  if (dispatch_key == c10::DispatchKey::Meta) {
    ns.kernel_or_fake(op, name, dispatch_key, std::make_unique<MetaKernel<OpenKernel>>(std::move(kernel)));
  } else {
    ns.kernel(op, dispatch_key, std::move(kernel));
  }
}

// What an operator that writes to its arguments needs beside its kernels.
inline void namespace_written(Namespace& ns, rust::Str op, uint16_t arguments, rust::Slice<const uint16_t> written,
                              bool needs_fake) {
  ns.kernel(op, c10::DispatchKey::ADInplaceOrView, std::make_unique<VersionKernel>(indices(written), arguments));
  for (auto key : {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative}) {
    ns.kernel(op, key, std::make_unique<MathBitKernel>(key, indices(written)));
  }
  if (needs_fake) {
    ns.kernel(op, c10::DispatchKey::Meta, std::make_unique<MetaKernel<NothingKernel>>(std::make_unique<NothingKernel>(arguments)));
  }
}

// The parts of an autograd kernel. `no_backward` is what the user reads who asks for a gradient that there is not, empty if there is one;
// `constant` are the results without a gradient.
inline std::unique_ptr<AutogradOp> autograd_new(rust::Str name, rust::Slice<const uint16_t> tensors,
                                                rust::Slice<const uint16_t> written, uint16_t arguments, uint16_t results,
                                                rust::Slice<const uint16_t> constant, bool all_constant, rust::Str no_backward) {
  auto op = std::make_unique<AutogradOp>();
  op->name = view(name);
  op->tensor_arguments = indices(tensors);
  op->written_arguments = indices(written);
  op->argument_count = arguments;
  op->return_count = results;
  op->constant_results = indices(constant);
  op->is_declared_constant = all_constant;
  op->no_backward = view(no_backward);
  return op;
}

// The parts of a need in one number: kind, index << 8, optional << 24.
struct PackedNeed {
  explicit PackedNeed(uint32_t packed) : kind(packed & 0xff), index(packed >> 8 & 0xffff), optional((packed >> 24) != 0) {}
  uint8_t kind;
  uint16_t index;
  bool optional;
};

inline void autograd_backward(AutogradOp& op, KernelFn function, const uint8_t* context, rust::Str name,
                              rust::Slice<const uint32_t> needs, rust::Slice<const uint16_t> gradients) {
  std::vector<Need> list;
  for (PackedNeed need : std::vector<PackedNeed>(needs.begin(), needs.end())) {
    list.push_back({static_cast<NeedKind>(need.kind), need.index, need.optional});
  }
  Target target{function, context, static_cast<uint32_t>(needs.size()), static_cast<uint32_t>(gradients.size()), view(name)};
  op.backward = Backward{std::move(target), std::move(list), indices(gradients)};
}

inline void autograd_jvp(AutogradOp& op, KernelFn function, const uint8_t* context, rust::Str name,
                         rust::Slice<const uint32_t> needs) {
  std::vector<JvpNeed> list;
  for (PackedNeed need : std::vector<PackedNeed>(needs.begin(), needs.end())) {
    list.push_back({static_cast<JvpNeedKind>(need.kind), need.index, need.optional});
  }
  op.jvp = Jvp{Target{function, context, static_cast<uint32_t>(needs.size()), op.return_count, view(name)}, std::move(list)};
}

inline void namespace_autograd(Namespace& ns, rust::Str op, std::unique_ptr<AutogradOp> parts) {
  ns.kernel(op, c10::DispatchKey::Autograd, std::make_unique<AutogradKernel>(std::move(*parts)));
}

// The hidden operators behind the gradient of an operator that takes objects, in compiled graphs; false if it has none there.
// `op` with its namespace and overload, `held` and `backward` without.
inline bool namespace_traced_backward(Namespace& ns, rust::Str op, rust::Str held, rust::Str backward, const AutogradOp& parts) {
  const auto& schema = schema_of(view(op));
  if (!can_trace_backward(schema, parts)) return false;
  auto qualified = [&](rust::Str name) { return c10::str(schema.getNamespace().value_or(""), "::", std::string(name)); };
  auto traced = traced_backward(schema, parts, qualified(held), qualified(backward));
  ns.define(std::move(traced.held));
  ns.define(std::move(traced.backward));
  // On any device: the functions that do the work are torch's own.
  const auto key = c10::DispatchKey::CompositeExplicitAutograd;
  ns.kernel(held, key, std::make_unique<HoldKernel>(traced.objects));
  ns.kernel(backward, key, std::make_unique<TracedBackwardKernel>(*parts.backward, std::move(traced.is_object)));
  return true;
}

inline void namespace_batch(Namespace& ns, rust::Str op, KernelFn function, const uint8_t* context, rust::Str name,
                            rust::Slice<const uint32_t> needs, rust::Slice<const uint16_t> tensors, uint16_t arguments,
                            uint16_t results) {
  std::vector<BatchNeed> list;
  for (PackedNeed need : std::vector<PackedNeed>(needs.begin(), needs.end())) {
    list.push_back({static_cast<BatchNeedKind>(need.kind), need.index});
  }
  Target target{function, context, static_cast<uint32_t>(needs.size()), results, view(name)};
  ns.kernel(op, c10::DispatchKey::FuncTorchBatched,
            std::make_unique<BatchKernel>(std::move(target), std::move(list), indices(tensors), arguments));
}

// `key` is the autocast key; `dtype` is -1 for the dtype of the region.
inline void namespace_autocast(Namespace& ns, rust::Str op, rust::Str key, int8_t device, int8_t dtype,
                               rust::Slice<const uint16_t> tensors, uint16_t arguments) {
  ns.kernel(op, c10::parseDispatchKey(std::string(key)),
            std::make_unique<AutocastKernel>(static_cast<c10::DeviceType>(device), dtype, indices(tensors), arguments));
}

// The hidden operator behind a fake that Python calls; `op` with its namespace and overload, `hidden` without namespace.
inline void namespace_open_fake(Namespace& ns, rust::Str op, rust::Str hidden, uint32_t dynamic, bool anchor, KernelFn function,
                                const uint8_t* context, uint32_t results, rust::Str name) {
  const auto& schema = schema_of(view(op));
  ns.define(open_fake_schema(schema, c10::str(schema.getNamespace().value_or(""), "::", std::string(hidden)), dynamic, anchor));
  OpenKernel kernel(Target{function, context, static_cast<uint32_t>(schema.arguments().size()) + dynamic, results, view(name)});
  if (anchor) {
    ns.kernel(hidden, c10::DispatchKey::Meta, std::make_unique<AnchoredKernel>(std::move(kernel)));
  } else {
    ns.kernel(hidden, c10::DispatchKey::Meta, std::make_unique<OpenKernel>(std::move(kernel)));
  }
}

// Where an operator is defined already, in torch's words; empty if it is not.
inline std::unique_ptr<std::string> operator_origin(rust::Str name, rust::Str overload) {
  auto handle = c10::Dispatcher::singleton().findSchema({std::string(name), std::string(overload)});
  return std::make_unique<std::string>(handle ? handle->debug() : "");
}

// The schema of a defined operator as torch prints it; empty if there is none.
inline std::unique_ptr<std::string> operator_schema(rust::Str name, rust::Str overload) {
  auto handle = c10::Dispatcher::singleton().findSchema({std::string(name), std::string(overload)});
  return std::make_unique<std::string>(handle ? c10::toString(handle->schema()) : "");
}

// The same of a schema that nobody has defined.
inline std::unique_ptr<std::string> schema_printed(rust::Str schema) {
  return std::make_unique<std::string>(c10::toString(torch::jit::parseSchema(std::string(schema))));
}

inline bool operator_has_kernel(rust::Str name, rust::Str overload, rust::Str key) {
  auto handle = c10::Dispatcher::singleton().findOp({std::string(name), std::string(overload)});
  return handle && handle->hasKernelForDispatchKey(c10::parseDispatchKey(std::string(key)));
}

} // namespace torchop
