"""Writes the same N operators, of 50 signatures, each with a kernel, a fake and a backward, in Rust and in C++."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of argument: in the schema, in a kernel, in a fake, in C++."""

    schema: str
    rust: str
    fake: str
    cpp: str


TENSOR = Kind("Tensor", "&Tensor", "&FakeTensor", "const at::Tensor&")
KINDS = {
    "weight": TENSOR,
    "bias": Kind("Tensor?", "Option<&Tensor>", "Option<&FakeTensor>", "const std::optional<at::Tensor>&"),
    "many": Kind("Tensor[]", "List<'_, &Tensor>", "List<'_, &FakeTensor>", "at::TensorList"),
    "scale": Kind("float", "f64", "f64", "double"),
    "count": Kind("int", "i64", "i64", "int64_t"),
    "flag": Kind("bool", "bool", "bool", "bool"),
    "mode": Kind("str", "&str", "&str", "c10::string_view"),
    "dims": Kind("int[]", "&[i64]", "&[i64]", "at::IntArrayRef"),
    "alpha": Kind("Scalar", "Scalar", "Scalar", "const at::Scalar&"),
    "limit": Kind("float?", "Option<f64>", "Option<f64>", "std::optional<double>"),
}


def signatures():
    """50 of them: `x`, and one to three arguments more; every second one gives two tensors."""
    names = list(KINDS)
    chosen = []
    for count in (1, 2, 3):
        for start in range(len(names)):
            for step in (1, 3) if count > 1 else (1,):
                arguments = tuple(names[(start + step * k) % len(names)] for k in range(count))
                chosen.append((arguments, len(chosen) % 2 + 1))
    assert len(chosen) == 50 and len(set(chosen)) == 50
    return chosen


SIGNATURES = signatures()


def schema(number):
    arguments, results = SIGNATURES[number % 50]
    text = ", ".join(["Tensor x", *(f"{KINDS[name].schema} {name}" for name in arguments)])
    return f"op{number}({text}) -> {'Tensor' if results == 1 else '(Tensor, Tensor)'}"


def rust(count, backward):
    """A crate's lib.rs."""
    parts = ["#![forbid(unsafe_code)]\nuse torchop::prelude::*;\n"]
    for number in range(count):
        arguments, results = SIGNATURES[number % 50]
        taken = "".join(f", _{name}: {KINDS[name].rust}" for name in arguments)
        faked = "".join(f", _{name}: {KINDS[name].fake}" for name in arguments)
        one, two = ("Tensor", "FakeTensor") if results == 1 else ("(Tensor, Tensor)", "(FakeTensor, FakeTensor)")
        kernel = "x.deep_clone()" if results == 1 else "Ok((x.deep_clone()?, x.deep_clone()?))"
        fake = "x.empty_like()" if results == 1 else "Ok((x.empty_like()?, x.empty_like()?))"
        parts.append(f"""
#[torch_op(schema = "scale_rust::{schema(number)}", cpu)]
fn op{number}(x: &Tensor{taken}) -> Result<{one}> {{
    {kernel}
}}

#[torch_op(fake_of = op{number})]
fn op{number}_fake(x: &FakeTensor{faked}) -> Result<{two}> {{
    {fake}
}}
""")
        if backward:
            grad = "grad_output" if results == 1 else "grad_output0"
            parts.append(f"""
#[torch_op(backward_of = op{number}, gradients(x))]
fn op{number}_backward({grad}: &Tensor, x: &Tensor) -> Result<Tensor> {{
    {grad}.mul(x)
}}
""")
    return "".join(parts)


def cpp(count, backward, torch_fn):
    """One file. `torch_fn`: kernels as template arguments (`TORCH_FN`), as torch's own registrations have them."""
    parts = ["#include <ATen/ops/clone.h>\n#include <ATen/ops/empty_like.h>\n#include <torch/library.h>\n"]
    if backward:
        parts.append("#include <ATen/ops/mul.h>\n#include <ATen/core/LegacyTypeDispatch.h>\n#include <torch/csrc/autograd/custom_function.h>\n")
    parts.append("namespace {\nusing torch::autograd::variable_list;\n" if backward else "namespace {\n")
    for number in range(count):
        arguments, results = SIGNATURES[number % 50]
        taken = "".join(f", {KINDS[name].cpp} {name}" for name in arguments)
        passed = "".join(f", {name}" for name in arguments)
        given = "at::Tensor" if results == 1 else "std::tuple<at::Tensor, at::Tensor>"
        kernel = "x.clone()" if results == 1 else "{x.clone(), x.clone()}"
        fake = "at::empty_like(x)" if results == 1 else "{at::empty_like(x), at::empty_like(x)}"
        parts.append(f"""
{given} op{number}(const at::Tensor& x{taken}) {{ return {kernel}; }}
{given} op{number}_fake(const at::Tensor& x{taken}) {{ return {fake}; }}
""")
        if backward:
            result = "op.call(x" + passed + ")"
            outputs = f"{{{result}}}" if results == 1 else f"[&] {{ auto [a, b] = {result}; return variable_list{{a, b}}; }}()"
            nothing = "".join(", at::Tensor()" for _ in arguments)
            last = "return outputs[0];" if results == 1 else "return {outputs[0], outputs[1]};"
            parts.append(f"""
struct Op{number} : torch::autograd::Function<Op{number}> {{
  static variable_list forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x{taken}) {{
    static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("scale_cpp::op{number}", "").typed<decltype(op{number})>();
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({{x}});
    return {outputs};
  }}
  static variable_list backward(torch::autograd::AutogradContext* ctx, variable_list grads) {{
    return {{at::mul(grads[0], ctx->get_saved_variables()[0]){nothing}}};
  }}
}};
{given} op{number}_autograd(const at::Tensor& x{taken}) {{
  auto outputs = Op{number}::apply(x{passed});
  {last}
}}
""")
    parts.append("}\n\nTORCH_LIBRARY(scale_cpp, m) {\n")
    parts += [f'  m.def("{schema(number)}");\n' for number in range(count)]
    parts.append("}\n")
    keys = {"CPU": "", "Meta": "_fake", **({"Autograd": "_autograd"} if backward else {})}
    for key, suffix in keys.items():
        parts.append(f"TORCH_LIBRARY_IMPL(scale_cpp, {key}, m) {{\n")
        for number in range(count):
            function = f"op{number}{suffix}"
            function = f"TORCH_FN({function})" if torch_fn else f"&{function}"
            parts.append(f'  m.impl("op{number}", {function});\n')
        parts.append("}\n")
    return "".join(parts)
