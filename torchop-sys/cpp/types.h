// The C++ names of the types that the bridge declares in Rust.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>
#include <c10/core/SymInt.h>

#include "failure.h"
#include "rust/cxx.h"

#include <string_view>

namespace torchop {

using RawValue = c10::IValue;
using TensorHandle = at::Tensor;
using SymIntHandle = c10::SymInt;
using GeneratorHandle = at::Generator;

inline std::string_view view(rust::Str text) { return {text.data(), text.size()}; }

// A Rust function behind an operator, a backward or a method. Reads `arguments` in place, fills `results` (all None
// before), and returns null or an owned Failure.
using KernelFn = Failure* (*)(const uint8_t* context, const RawValue* arguments, size_t argument_count,
                              RawValue* results, size_t result_count) noexcept;

// Destroys a Rust object.
using DropFn = void (*)(uint8_t* object) noexcept;

// A part of a loop: the numbers from `begin` to `end`, without it. Never throws.
using RangeFn = void (*)(const uint8_t* context, int64_t begin, int64_t end) noexcept;

} // namespace torchop

// Each is one pointer (or one tagged word) that may be moved bit by bit: an intrusive pointer knows no address of itself.
template <> struct rust::IsRelocatable<at::Tensor> : std::true_type {};
template <> struct rust::IsRelocatable<c10::SymInt> : std::true_type {};
template <> struct rust::IsRelocatable<at::Generator> : std::true_type {};
